// One photo of the list: its file, what the service made of it, and what there is to say.

import { remove } from "./service.js";

const THUMBNAIL = 96;
// For files that the browser cannot show, the service makes pictures that it can.
const PREVIEW = { format: "jpeg", quality: "95" };

export class Shot extends EventTarget {
  constructor(file) {
    super();
    this.file = file;
    this.state = "queued"; // queued, sending, waiting, working, done, failed
    this.share = 0;
    this.note = "Waiting for its turn";
    this.strength = 1;
    this.before = this.after = null; // Blobs that the browser can show
    this.made = new Map(); // options -> { blob, name, found } from the service
    this.stop = new AbortController();
  }

  /** Let the service restore the photo. Never throws: what goes wrong becomes the note. */
  async run() {
    try {
      const shown = await showable(this.file);
      this.before = shown ? this.file : (await this.make({ strength: "0", ...PREVIEW })).blob;
      this.thumbnail = await createImageBitmap(this.before, { resizeHeight: THUMBNAIL });
      this.change("sending", 0);
      const made = await this.make(shown ? {} : PREVIEW);
      this.after = made.blob;
      this.found = made.found;
      this.change("done");
    } catch (error) {
      if (error.name !== "AbortError") this.fail(error);
    }
  }

  /** The restored photo or its flare at the strength in force, in the photo's own format. */
  download(layer) {
    const options = {};
    if (this.strength !== 1) options.strength = String(this.strength);
    if (layer !== "scene") options.layer = layer;
    return this.make(options, () => {});
  }

  async make(options, tell = (phase, share) => this.change(phase, share)) {
    const key = JSON.stringify(options);
    if (!this.made.has(key)) {
      this.made.set(key, await remove(this.file, options, tell, this.stop.signal));
    }
    return this.made.get(key);
  }

  change(state, share = 0) {
    [this.state, this.share] = [state, share];
    this.note = {
      queued: "Waiting for its turn",
      sending: `Sending, ${Math.round(100 * share)} %`,
      waiting: `The service is busy; next try in ${share} s`,
      working: "Removing flare …",
      done: this.found ? "Flare removed" : "No flare found; the photo is unchanged",
    }[state];
    this.dispatchEvent(new Event("change"));
  }

  fail(error) {
    this.state = "failed";
    this.note = error.message || "The photo cannot be shown.";
    this.dispatchEvent(new Event("change"));
  }
}

async function showable(file) {
  try {
    (await createImageBitmap(file)).close();
    return true;
  } catch {
    return false;
  }
}

// One photo of the list: its file, what the service made of it, and what there is to say.

import { remove } from "./service.js";

const THUMBNAIL = 96;
// For files that the browser cannot show, the service makes pictures that it can.
const PREVIEW = { format: "jpeg", quality: "95" };

const FOUND = {
  none: "No flare found; the photo is unchanged",
  weak: "Little flare was found; hardly a difference",
  strong: "Flare removed",
};

export class Shot extends EventTarget {
  constructor(file) {
    super();
    this.file = file;
    this.state = "queued"; // queued, sending, waiting, working, done, failed
    this.share = 0;
    this.note = "Waiting for its turn";
    this.strength = 1;
    this.mask = null; // where flare may be removed; null for everywhere
    this.before = this.after = null; // Blobs that the browser can show
    this.kept = null; // { key, made }: the last picture from the service, and what it was asked
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
      if (shown) this.whole = made; // as it would be downloaded
      this.change("done");
    } catch (error) {
      if (error.name !== "AbortError") this.fail(error);
    }
  }

  /** The restored photo or its flare at the strength in force, in the photo's own format. */
  async download(layer) {
    const options = {};
    if (this.strength !== 1) options.strength = String(this.strength);
    if (layer !== "scene") options.layer = layer;
    const mask = await this.mask?.file();
    if (this.whole && !mask && !Object.keys(options).length) return this.whole;
    const key = JSON.stringify([options, mask && this.mask.version]);
    if (this.kept?.key !== key) {
      const made = await this.make(mask ? { ...options, mask } : options, () => {});
      this.kept = { key, made };
    }
    return this.kept.made;
  }

  make(options, tell = (phase, share) => this.change(phase, share)) {
    return remove(this.file, options, tell, this.stop.signal);
  }

  change(state, share = 0) {
    [this.state, this.share] = [state, share];
    this.note = {
      queued: "Waiting for its turn",
      sending: `Sending, ${Math.round(100 * share)} %`,
      waiting: `The service is busy; next try in ${share} s`,
      working: "Removing flare …",
      done: FOUND[this.found],
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

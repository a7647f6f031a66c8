// The brush: its controls, and what pointers and keys do while it is out.

import { Mask } from "./mask.js";

const $ = (id) => document.getElementById(id);
const HINTS = {
  protect: "What you paint stays as it is.",
  remove: "Flare is removed only where you paint.",
};
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Brush {
  /**
   * Paints the mask of the photo in use. `onTurn(out)` hears when the brush is taken out or put
   * away, `onPaint(shot)` of changes, `tell(text)` what a person who sees nothing has to know.
   */
  constructor(view, { onTurn, onPaint, tell }) {
    [this.view, this.onTurn, this.onPaint, this.tell] = [view, onTurn, onPaint, tell];
    this.shot = null;
    this.out = false;
    this.kind = "protect";
    this.place = null; // of the brush on the stage, CSS pixels; null while nobody points
    this.down = false;
    this.listen();
    this.refresh();
  }

  get size() {
    return Number($("brush-size").value);
  }

  /** Take the brush out, or put it away. */
  turn(out) {
    if (out === this.out) return;
    this.out = out;
    this.lift();
    this.place = null;
    this.refresh();
    this.onTurn(out);
  }

  /** Another photo is on the stage, or none. */
  use(shot) {
    if (shot !== this.shot) this.lift();
    this.shot = shot;
    this.view.mask = shot?.mask ?? null;
    this.refresh();
    this.view.masked();
  }

  // --- strokes, at places on the stage

  press(place) {
    if (!this.shot || this.view.shot !== this.shot || !this.view.after) return;
    const { width, height } = this.view.before;
    this.view.mask = this.shot.mask ??= new Mask(width, height);
    this.shot.mask.begin(this.kind, this.size / this.view.scale, this.view.toPhoto(place));
    this.down = true;
    this.moveTo(place);
    this.painted();
  }

  moveTo(place) {
    this.place = place;
    if (this.down) {
      this.shot.mask.extend(this.view.toPhoto(place));
      this.view.masked();
    } else {
      this.view.draw();
    }
  }

  lift() {
    this.down = false;
  }

  /** A second finger came: it was the start of a pinch, not of a stroke. */
  cancel() {
    if (this.down) this.undo();
    this.lift();
    this.place = null;
  }

  undo() {
    if (!this.shot?.mask || this.shot.mask.empty) return;
    this.lift();
    this.shot.mask.undo();
    this.painted();
  }

  clear() {
    this.lift();
    this.shot?.mask?.clear();
    this.painted();
  }

  painted() {
    this.refresh();
    this.view.masked();
    this.onPaint(this.shot);
  }

  refresh() {
    const empty = this.shot?.mask?.empty ?? true;
    $("brush").disabled = this.shot?.state !== "done";
    $("brush-undo").disabled = $("brush-clear").disabled = empty;
    $("brush-hint").textContent = HINTS[this.kind];
    const out = this.out && !$("brush").disabled;
    $("brush").setAttribute("aria-pressed", this.out);
    $("brush-tools").hidden = $("pad").hidden = !out;
    this.view.brush = out ? this : null;
    this.view.draw();
  }

  // --- hands

  listen() {
    $("brush").addEventListener("click", () => this.turn(!this.out));
    for (const radio of document.getElementsByName("brush")) {
      radio.addEventListener("change", () => {
        this.kind = radio.value;
        this.refresh();
      });
    }
    $("brush-size").addEventListener("input", () => this.view.draw());
    $("brush-undo").addEventListener("click", () => this.undo());
    $("brush-clear").addEventListener("click", () => this.clear());
    $("pad").addEventListener("focus", () => this.moveTo(this.place ?? this.view.middle()));
    $("pad").addEventListener("blur", () => this.lift());
    $("pad").addEventListener("keydown", (event) => this.key(event));
    addEventListener("keydown", (event) => {
      const undo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
      if (!undo || !this.view.brush || event.target.matches("#token")) return;
      event.preventDefault();
      this.undo();
    });
  }

  key(event) {
    const arrow = ARROWS[event.key];
    if (!arrow && event.key !== " ") return;
    event.preventDefault();
    this.place ??= this.view.middle();
    if (!arrow) {
      if (this.down) this.lift();
      else this.press(this.place);
      this.tell(this.down ? "The brush is down; arrow keys paint" : "The brush is lifted");
      return;
    }
    const step = Math.max(4, this.size / 4);
    this.moveTo(this.view.inside(this.place.x + step * arrow[0], this.place.y + step * arrow[1]));
  }
}

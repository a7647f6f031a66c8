// The picture on the stage: before and after under one zoom, with a boundary between them.

import { blend, flare, veil } from "./light.js";

const MOST_ZOOM = 16;
const PROTECTED = [255, 59, 107]; // the colour of what a mask protects
const GRIP = 28; // how close to the boundary a press takes hold of it, CSS pixels

export class View {
  constructor(stage, { onZoom, onDivide }) {
    this.stage = stage;
    this.canvas = stage.querySelector("canvas");
    this.context = this.canvas.getContext("2d");
    this.onZoom = onZoom;
    this.onDivide = onDivide;
    this.before = this.after = null; // ImageBitmap
    this.mask = null; // where the strength counts
    this.brush = null; // while it is out, pointers paint
    this.mode = "compare";
    this.strength = 1;
    this.divide = 0.5; // of the stage's width
    this.fit = true;
    this.scale = 1; // CSS pixels per pixel of the photo
    this.centre = { x: 0, y: 0 }; // of the stage, in pixels of the photo
    this.layers = null; // both pictures as they lie on the stage now
    this.pointers = new Map();
    new ResizeObserver(() => this.moved()).observe(stage);
    this.listen();
  }

  /** Show the pictures of `shot`; `after` may be missing. The zoom stays if the size does. */
  show(shot, before, after) {
    this.shot = shot;
    const same = this.before && before && before.width === this.before.width &&
      before.height === this.before.height;
    if (this.before !== before) this.before?.close();
    if (this.after !== after) this.after?.close();
    [this.before, this.after] = [before, after];
    if (!same) this.fit = true;
    this.moved();
  }

  set(changes) {
    Object.assign(this, changes);
    this.painted = null;
    this.draw();
  }

  /** The mask has changed. */
  masked() {
    if (this.layers) this.layers.mask = null;
    this.painted = null;
    this.draw();
  }

  // --- zoom and place

  /** Zoom by `factor`, keeping the photo's point under (x, y) of the stage where it is. */
  zoom(factor, x = this.stage.clientWidth / 2, y = this.stage.clientHeight / 2) {
    if (!this.before) return;
    const least = Math.min(this.fitting(), 1);
    const scale = Math.min(MOST_ZOOM, Math.max(least, this.scale * factor));
    this.centre.x += (x - this.stage.clientWidth / 2) * (1 / this.scale - 1 / scale);
    this.centre.y += (y - this.stage.clientHeight / 2) * (1 / this.scale - 1 / scale);
    this.fit = scale === least && least < 1;
    this.scale = scale;
    this.moved();
  }

  zoomTo(scale) {
    this.zoom(scale / this.scale);
  }

  zoomFit() {
    this.fit = true;
    this.moved();
  }

  pan(dx, dy) {
    this.centre.x -= dx / this.scale;
    this.centre.y -= dy / this.scale;
    this.moved();
  }

  fitting() {
    const { clientWidth, clientHeight } = this.stage;
    return Math.min(clientWidth / this.before.width, clientHeight / this.before.height);
  }

  moved() {
    this.layers = null;
    if (this.before) this.place();
    this.draw();
  }

  place() {
    const { width, height } = this.before;
    if (this.fit) {
      this.scale = Math.min(this.fitting(), MOST_ZOOM);
      this.centre = { x: width / 2, y: height / 2 };
    }
    const halfX = this.stage.clientWidth / 2 / this.scale;
    const halfY = this.stage.clientHeight / 2 / this.scale;
    this.centre.x = halfX * 2 >= width ? width / 2 : clamp(this.centre.x, halfX, width - halfX);
    this.centre.y = halfY * 2 >= height ? height / 2 : clamp(this.centre.y, halfY, height - halfY);
    this.onZoom(this.scale * devicePixelRatio);
  }

  /** Where the photo lies on the canvas, in canvas pixels. */
  frame() {
    const scale = this.scale * devicePixelRatio;
    return {
      x: this.canvas.width / 2 - this.centre.x * scale,
      y: this.canvas.height / 2 - this.centre.y * scale,
      width: this.before.width * scale,
      height: this.before.height * scale,
    };
  }

  /** Share of the stage's width at which the photo begins and ends. */
  edges() {
    if (!this.before) return [0, 1];
    const width = (this.before.width * this.scale) / this.stage.clientWidth;
    const left = 0.5 - (this.centre.x * this.scale) / this.stage.clientWidth;
    return [Math.max(0, left), Math.min(1, left + width)];
  }

  /** The photo's point at a place on the stage. */
  toPhoto({ x, y }) {
    return {
      x: this.centre.x + (x - this.stage.clientWidth / 2) / this.scale,
      y: this.centre.y + (y - this.stage.clientHeight / 2) / this.scale,
    };
  }

  inside(x, y) {
    return { x: clamp(x, 0, this.stage.clientWidth), y: clamp(y, 0, this.stage.clientHeight) };
  }

  middle() {
    return this.inside(this.stage.clientWidth / 2, this.stage.clientHeight / 2);
  }

  // --- painting

  draw() {
    if (this.awaited) return;
    this.awaited = requestAnimationFrame(() => {
      this.awaited = 0;
      this.paint();
    });
  }

  paint() {
    const width = Math.round(this.stage.clientWidth * devicePixelRatio);
    const height = Math.round(this.stage.clientHeight * devicePixelRatio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      [this.canvas.width, this.canvas.height] = [width, height];
      this.layers = null;
    }
    this.context.clearRect(0, 0, width, height);
    const mode = this.brush ? "brush" : this.mode;
    this.stage.dataset.mode = this.after ? mode : "before";
    if (!this.before || !width || !height) return;
    this.layers ??= this.resampled();
    const { before, x, y } = this.layers;
    if (!this.after) return this.context.drawImage(before, x, y);
    this.painted ??= this.result();
    this.context.drawImage(this.painted, x, y);
    if (mode === "brush") this.paintBrush();
    if (mode === "compare") {
      const [left, right] = this.edges();
      const split = Math.round((left + this.divide * (right - left)) * width) - x;
      if (split > 0) {
        const part = Math.min(split, before.width);
        this.context.drawImage(before, 0, 0, part, before.height, x, y, part, before.height);
      }
      this.stage.style.setProperty("--split", `${((split + x) / width) * 100}%`);
    }
    this.stage.dataset.strength = this.strength;
  }

  /** What the mask protects, and a ring where the brush is. */
  paintBrush() {
    const mask = this.maskPixels();
    const { x, y, before } = this.layers;
    if (mask) this.context.drawImage(made(before, (out) => veil(mask, PROTECTED, out)), x, y);
    const { place, size } = this.brush;
    if (!place) return;
    for (const [width, style] of [[4, "#000"], [2, "#fff"]]) {
      [this.context.lineWidth, this.context.strokeStyle] = [width * devicePixelRatio, style];
      this.context.beginPath();
      this.context.arc(
        place.x * devicePixelRatio, place.y * devicePixelRatio, (size / 2) * devicePixelRatio, 0, 7,
      );
      this.context.stroke();
    }
  }

  /** Both pictures at the size and place they have on the stage, only the part that shows. */
  resampled() {
    const frame = this.frame();
    const x = Math.max(0, Math.floor(frame.x));
    const y = Math.max(0, Math.floor(frame.y));
    const width = Math.max(1, Math.min(this.canvas.width, Math.ceil(frame.x + frame.width)) - x);
    const height = Math.max(1, Math.min(this.canvas.height, Math.ceil(frame.y + frame.height)) - y);
    const layer = (bitmap, ground = "transparent") => {
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext("2d", { willReadFrequently: true });
      context.fillStyle = ground;
      context.fillRect(0, 0, width, height);
      context.imageSmoothingEnabled = this.scale * devicePixelRatio < 2;
      context.imageSmoothingQuality = "high";
      context.drawImage(bitmap, frame.x - x, frame.y - y, frame.width, frame.height);
      return canvas;
    };
    this.painted = null;
    return { x, y, layer, before: layer(this.before), after: this.after && layer(this.after) };
  }

  /** What stands on the "after" side: a blend by strength, or the flare. */
  result() {
    const { before, after } = this.layers;
    const mask = this.maskPixels();
    if (this.mode !== "flare" && this.strength === 1 && !mask) return after;
    const pixels = (this.layers.pixels ??= { before: read(before), after: read(after) });
    const mix = this.mode === "flare" ? flare : blend;
    return made(before, (out) => mix(pixels.before, pixels.after, this.strength, out, mask));
  }

  /** The mask as it lies on the stage; null if nothing is painted. */
  maskPixels() {
    if (!this.mask || this.mask.empty) return null;
    return (this.layers.mask ??= read(this.layers.layer(this.mask.canvas, "#fff")));
  }

  // --- hands

  listen() {
    const { stage } = this;
    stage.addEventListener("pointerdown", (event) => this.press(event));
    stage.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) {
      stage.addEventListener(end, (event) => {
        this.pointers.delete(event.pointerId);
        this.brush?.lift();
      });
    }
    stage.addEventListener("pointerleave", () => {
      if (this.brush) this.brush.place = null;
      this.draw();
    });
    stage.addEventListener("dblclick", () => {
      if (this.brush) return;
      if (this.fit) this.zoomTo(1 / devicePixelRatio);
      else this.zoomFit();
    });
    stage.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const box = stage.getBoundingClientRect();
        this.zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
      },
      { passive: false },
    );
  }

  press(event) {
    if (event.button > 0 || !this.before) return;
    this.stage.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const box = this.stage.getBoundingClientRect();
    if (this.brush) {
      if (this.pointers.size > 1) this.brush.cancel();
      else this.brush.press({ x: event.clientX - box.left, y: event.clientY - box.top });
      return;
    }
    const [left, right] = this.edges();
    const split = (left + this.divide * (right - left)) * box.width;
    const near = Math.abs(event.clientX - box.left - split) < GRIP;
    this.dividing = this.mode === "compare" && (this.fit || near);
    // A finger may be the first of two that pinch: the boundary waits for it to move.
    if (this.dividing && event.pointerType !== "touch") this.divideAt(event.clientX - box.left);
  }

  drag(event) {
    const last = this.pointers.get(event.pointerId);
    const now = { x: event.clientX, y: event.clientY };
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    const box = this.stage.getBoundingClientRect();
    if (this.brush && !other) this.brush.moveTo({ x: now.x - box.left, y: now.y - box.top });
    if (!last) return;
    if (other) {
      const apart = (point) => Math.hypot(point.x - other.x, point.y - other.y);
      const x = (now.x + other.x) / 2 - box.left;
      this.zoom(apart(now) / Math.max(1, apart(last)), x, (now.y + other.y) / 2 - box.top);
      this.pan((now.x - last.x) / 2, (now.y - last.y) / 2);
    } else if (this.dividing) {
      this.divideAt(now.x - box.left);
    } else if (!this.brush) {
      this.pan(now.x - last.x, now.y - last.y);
    }
    this.pointers.set(event.pointerId, now);
  }

  divideAt(x) {
    const [left, right] = this.edges();
    const share = (x / this.stage.clientWidth - left) / (right - left);
    this.divide = clamp(share, 0, 1);
    this.draw();
    this.onDivide(this.divide);
  }
}

function read(canvas) {
  return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
}

/** A canvas of the size of `like`, its pixels written by `fill`. */
function made(like, fill) {
  const out = new ImageData(like.width, like.height);
  fill(out.data);
  const canvas = new OffscreenCanvas(like.width, like.height);
  canvas.getContext("2d").putImageData(out, 0, 0);
  return canvas;
}

function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value));
}

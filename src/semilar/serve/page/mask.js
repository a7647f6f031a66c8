// Where flare may be removed, painted stroke by stroke: white may change, black stays as it is.

const MOST = 2048; // longest side in pixels; the service scales it to the photo
const SOFT = 8; // steps from a stroke's edge inwards, and how much of its width they take:
const EDGE = 0.4;

export class Mask {
  /** For a photo of `width` by `height`; strokes are in its pixels. */
  constructor(width, height) {
    this.scale = Math.min(1, MOST / Math.max(width, height));
    const side = (length) => Math.max(1, Math.round(length * this.scale));
    this.canvas = new OffscreenCanvas(side(width), side(height));
    this.context = this.canvas.getContext("2d", { willReadFrequently: true });
    this.strokes = [];
    this.version = 0;
  }

  get empty() {
    return this.strokes.length === 0;
  }

  /** A stroke of `kind` "protect" or "remove" and `size` begins at a point. */
  begin(kind, size, point) {
    this.strokes.push({ kind, size, points: [point] });
    this.redraw();
  }

  extend(point) {
    const stroke = this.strokes.at(-1);
    this.line(stroke, stroke.points.at(-1), point);
    stroke.points.push(point);
    this.version++;
  }

  undo() {
    this.strokes.pop();
    this.redraw();
  }

  clear() {
    this.strokes = [];
    this.redraw();
  }

  /** As a file for the service; null if nothing was painted. */
  async file() {
    return this.empty ? null : this.canvas.convertToBlob({ type: "image/png" });
  }

  /** Whoever paints where flare may go means that it stays elsewhere. */
  redraw() {
    const limited = this.strokes.some((stroke) => stroke.kind === "remove");
    this.context.globalCompositeOperation = "source-over";
    this.context.fillStyle = limited ? "#000" : "#fff";
    this.context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    for (const stroke of this.strokes) {
      stroke.points.forEach((point, k) => this.line(stroke, stroke.points[Math.max(0, k - 1)], point));
    }
    this.version++;
  }

  /** From one point to the next. Lighter or darker of old and new: passing twice changes nothing. */
  line({ kind, size }, from, to) {
    const { context, scale } = this;
    context.globalCompositeOperation = kind === "remove" ? "lighten" : "darken";
    context.lineCap = "round";
    for (let step = 1; step <= SOFT; step++) {
      const level = Math.round((255 * step) / SOFT);
      const code = kind === "remove" ? level : 255 - level;
      const width = Math.max(1, size * scale * (1 - (EDGE * (step - 1)) / (SOFT - 1)));
      context.strokeStyle = context.fillStyle = `rgb(${code} ${code} ${code})`;
      context.lineWidth = width;
      context.beginPath();
      context.arc(to.x * scale, to.y * scale, width / 2, 0, 7);
      context.fill();
      context.beginPath();
      context.moveTo(from.x * scale, from.y * scale);
      context.lineTo(to.x * scale, to.y * scale);
      context.stroke();
    }
  }
}

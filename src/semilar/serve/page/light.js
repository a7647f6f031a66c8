// Blends of two pictures as the service computes them: flare is added light, so its share is
// taken away in linear light, between the codes of the sRGB curve.

const STEPS = 16383;
const linear = Float32Array.from({ length: 256 }, (_, code) => {
  const x = code / 255;
  return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
});
const encoded = Uint8ClampedArray.from({ length: STEPS + 1 }, (_, step) => {
  const x = step / STEPS;
  return 255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055);
});

/** Pixels between `before` (strength 0) and `after` (strength 1), into `out`; encoded RGBA. */
export function blend(before, after, strength, out) {
  for (let i = 0; i < out.length; i += 4) {
    for (let k = i; k < i + 3; k++) {
      const light = linear[before[k]];
      const code = encoded[(STEPS * (light + strength * (linear[after[k]] - light)) + 0.5) | 0];
      out[k] = code;
    }
    out[i + 3] = before[i + 3];
  }
}

/** The light that `blend` takes away, on black, into `out`; encoded RGBA. */
export function flare(before, after, strength, out) {
  for (let i = 0; i < out.length; i += 4) {
    for (let k = i; k < i + 3; k++) {
      const light = strength * (linear[before[k]] - linear[after[k]]);
      out[k] = light > 0 ? encoded[(STEPS * light + 0.5) | 0] : 0;
    }
    out[i + 3] = before[i + 3];
  }
}

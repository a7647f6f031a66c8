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

/**
 * Pixels between `before` (strength 0) and `after` (strength 1), and beyond, into `out`; encoded
 * RGBA. `mask`, if there is one, is RGBA too: white for all of the strength, black for none of it.
 */
export function blend(before, after, strength, out, mask) {
  for (let i = 0; i < out.length; i += 4) {
    const share = mask ? (strength * mask[i]) / 255 : strength;
    for (let k = i; k < i + 3; k++) {
      const light = linear[before[k]];
      out[k] = code(light + share * (linear[after[k]] - light));
    }
    out[i + 3] = before[i + 3];
  }
}

/** The light that `blend` takes away, on black, into `out`; encoded RGBA. */
export function flare(before, after, strength, out, mask) {
  for (let i = 0; i < out.length; i += 4) {
    const share = mask ? (strength * mask[i]) / 255 : strength;
    for (let k = i; k < i + 3; k++) {
      const light = linear[before[k]];
      out[k] = code(Math.min(light, share * (light - linear[after[k]])));
    }
    out[i + 3] = before[i + 3];
  }
}

/** What `mask` protects, as a veil of one colour into `out`; RGBA. */
export function veil(mask, [red, green, blue], out) {
  for (let i = 0; i < out.length; i += 4) {
    [out[i], out[i + 1], out[i + 2]] = [red, green, blue];
    out[i + 3] = (255 - mask[i]) * 0.35;
  }
}

function code(light) {
  return encoded[(STEPS * Math.min(1, Math.max(0, light)) + 0.5) | 0];
}

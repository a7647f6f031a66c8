// Finished pictures on their way to the person's disk: one file, or one zip of several.

import { zip } from "./zip.js";

export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** One zip of all `shots`; gives what to say of it: { status, alert }. */
export async function saveAll(shots, layer, tell) {
  const files = [];
  const problems = [];
  for (const [k, shot] of shots.entries()) {
    tell(`Preparing ${k + 1} of ${shots.length}: ${shot.file.name} …`);
    try {
      files.push(await shot.download(layer));
    } catch (error) {
      problems.push(`${shot.file.name}: ${error.message}`);
    }
  }
  if (!files.length) return { status: "", alert: problems.join(" ") };
  const name = layer === "flare" ? "semilar-flare.zip" : "semilar-photos.zip";
  save(await zip(files), name);
  const left = problems.length ? `Not in the zip: ${problems.join(" ")}` : "";
  return { status: `Saved ${files.length} of ${shots.length} photos in ${name}`, alert: left };
}

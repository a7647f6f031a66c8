// Several files as one zip, stored without compression: photos are compressed already. The parts
// stay Blobs, which the browser keeps where it likes; only a chunk at a time passes through memory.

const MOST = 0xffffffff; // beyond it another format of zip would be needed
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});

/** One Blob of `files`, each { name, blob }; equal names are told apart. */
export async function zip(files, date = new Date()) {
  const parts = [];
  const directory = [];
  const names = new Set();
  let offset = 0;
  for (const { name, blob } of files) {
    const entry = { name: encode(distinct(name, names)), size: blob.size, offset };
    if (offset + entry.size > MOST) throw new Error("More than 4 GB do not fit into one zip.");
    entry.check = await checksum(blob);
    const head = header(entry, date);
    parts.push(head, entry.name, blob);
    directory.push(header(entry, date, true), entry.name);
    offset += head.length + entry.name.length + blob.size;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const count = names.size;
  const end = record([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, offset], [2, 0]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

function distinct(name, names) {
  const dot = name.lastIndexOf(".") > 0 ? name.lastIndexOf(".") : name.length;
  let free = name;
  for (let k = 2; names.has(free); k++) free = `${name.slice(0, dot)} (${k})${name.slice(dot)}`;
  names.add(free);
  return free;
}

/** What stands before a file, or for it in the directory at the end. */
function header({ name, size, check, offset }, date, central = false) {
  const time = (date.getHours() << 11) | (date.getMinutes() << 5) | (date.getSeconds() >> 1);
  const day = ((date.getFullYear() - 1980) << 9) | ((date.getMonth() + 1) << 5) | date.getDate();
  const common = [
    [2, 20], [2, 0x0800], [2, 0], // version, names are UTF-8, stored
    [2, time], [2, day], [4, check], [4, size], [4, size], [2, name.length], [2, 0],
  ];
  if (!central) return record([4, 0x04034b50], ...common);
  const rest = [[2, 0], [2, 0], [2, 0], [4, 0], [4, offset]];
  return record([4, 0x02014b50], [2, 20], ...common, ...rest);
}

/** Numbers of 2 or 4 bytes, the lowest byte first. */
function record(...fields) {
  const bytes = fields.flatMap(([length, value]) =>
    Array.from({ length }, (_, k) => (value >>> (8 * k)) & 255),
  );
  return Uint8Array.from(bytes);
}

async function checksum(blob) {
  const reader = blob.stream().getReader();
  let sum = 0xffffffff;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    for (const byte of part.value) sum = TABLE[(sum ^ byte) & 255] ^ (sum >>> 8);
  }
  return ~sum >>> 0;
}

function encode(text) {
  return new TextEncoder().encode(text);
}

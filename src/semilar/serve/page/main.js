// The page put together: files come in, the list and the stage follow, downloads go out.

import { Brush } from "./brush.js";
import { List } from "./list.js";
import { save, saveAll } from "./save.js";
import { about, Refused, useToken } from "./service.js";
import { Shot } from "./shot.js";
import "./theme.js";
import { View } from "./view.js";

const $ = (id) => document.getElementById(id);
const shots = [];
let chosen = null;
let busy = false;
let met = false; // the service has told what it takes, or why it does not
let limits = null;

const list = new List($("photos"), { onChoose: choose, onRemove: forget });
const view = new View($("stage"), {
  onZoom: (zoom) => ($("zoom").value = `${Math.round(100 * zoom)} %`),
  onDivide: (share) => divide(Math.round(100 * share)),
});

const brush = new Brush(view, {
  onTurn: (out) => {
    if (out && view.mode === "compare") lookAt("after");
    else if (!out && view.mode === "after") lookAt("compare");
  },
  onPaint: (shot) => list.update(shot),
  tell: (text) => ($("status").textContent = text),
});

// --- photos in

function add(files) {
  for (const file of files) {
    const shot = new Shot(file);
    if (chosen && $("same").checked) shot.strength = chosen.strength;
    shots.push(shot);
    list.add(shot);
    shot.addEventListener("change", () => changed(shot));
    if (!chosen || chosen.state === "failed") choose(shot);
  }
  layOut();
  pump();
}

function tooLarge(file) {
  if (!limits || file.size <= limits.body_bytes) return null;
  const most = Math.floor(limits.body_bytes / 1e6);
  return new Refused(413, `${file.name}: is larger than the ${most} MB that this service takes.`);
}

/** One photo after the other, the chosen one first: the service's places are for everybody. */
async function pump() {
  if (busy || !met) return;
  const waiting = shots.filter((shot) => shot.state === "queued");
  const next = waiting.includes(chosen) ? chosen : waiting[0];
  if (!next) return;
  busy = true;
  const problem = tooLarge(next.file); // known only now that the service has told its limits
  if (problem) next.fail(problem);
  else await next.run();
  busy = false;
  pump();
}

function forget(shot) {
  const at = shots.indexOf(shot);
  shot.stop.abort();
  shots.splice(at, 1);
  list.remove(shot);
  if (shot === chosen) choose(shots[Math.min(at, shots.length - 1)] ?? null);
  if (chosen) list.focus(chosen);
  layOut();
}

function layOut() {
  const some = shots.length > 0;
  $("welcome").hidden = some;
  $("work").hidden = $("side").hidden = !some;
  $("same").closest("label").hidden = shots.length < 2;
  $("download-all").hidden = shots.filter((shot) => shot.state === "done").length < 2;
  document.body.dataset.stage = some ? "work" : "welcome";
}

// --- the chosen photo

function choose(shot) {
  chosen = shot;
  list.choose(shot);
  $("strength").value = Math.round(100 * (shot?.strength ?? 1));
  showStrength();
  brush.use(shot);
  changed(shot);
}

async function changed(shot) {
  if (shot) list.update(shot);
  if (shot?.state === "done") layOut();
  if (shot !== chosen) return;
  const state = shot?.state;
  $("status").textContent = state === "failed" ? "" : (shot?.note ?? "");
  $("alert").textContent = state === "failed" ? shot.note : "";
  $("alert").classList.toggle("unseen", state === "failed"); // the stage shows it; it is read aloud
  $("cover").textContent = shot?.note ?? "";
  $("cover").hidden = state === "done";
  $("cover").dataset.state = state;
  $("download").disabled = state !== "done";
  $("divider").disabled = $("strength").disabled = state !== "done";
  brush.refresh();
  await present(shot);
}

/** Put the chosen photo on the stage; a later choice overtakes a slow one. */
async function present(shot) {
  const wanted = shot?.before ? [shot.before, shot.after] : [null, null];
  if (present.shown === shot && present.wanted?.every((blob, k) => blob === wanted[k])) return;
  [present.shown, present.wanted] = [shot, wanted];
  const open = (blob) => (blob ? createImageBitmap(blob) : null);
  const pictures = await Promise.all(wanted.map(open)).catch(() => [null, null]);
  if (present.shown !== shot || present.wanted !== wanted) {
    pictures.forEach((picture) => picture?.close());
    return;
  }
  const name = shot ? shot.file.name : "No photo yet";
  $("canvas").setAttribute("aria-label", pictures[1] ? `${name}, before and after` : name);
  view.show(shot, ...pictures);
}

function setStrength() {
  for (const shot of $("same").checked ? shots : [chosen]) shot.strength = $("strength").value / 100;
  showStrength();
}

function showStrength() {
  const percent = Number($("strength").value);
  $("strength-value").value = `${percent} %`;
  $("beyond").hidden = percent <= 100;
  view.set({ strength: percent / 100 });
}

/** Compare, result or removed flare. */
function lookAt(mode) {
  document.querySelector(`[name=view][value=${mode}]`).checked = true;
  view.set({ mode });
  $("download").textContent = mode === "flare" ? "Download flare" : "Download photo";
}

function divide(percent) {
  $("divider").value = percent;
  $("divider").setAttribute("aria-valuetext", `${percent} % before, ${100 - percent} % after`);
}

// --- photos out

async function saveOne(shot, layer, tell) {
  tell(`Preparing ${shot.file.name} …`);
  const made = await shot.download(layer);
  save(made.blob, made.name);
  return { status: `Saved ${made.name}`, alert: "" };
}

/** Run one of the ways to save while its button rests, and say what became of it. */
async function saving(button, way) {
  const layer = view.mode === "flare" ? "flare" : "scene";
  const tell = (status, alert = "") => {
    [$("status").textContent, $("alert").textContent] = [status, alert];
  };
  $("alert").classList.remove("unseen");
  button.disabled = true;
  try {
    const { status, alert } = await way(layer, tell);
    tell(status, alert);
  } catch (error) {
    tell("", error.message);
  }
  button.disabled = button === $("download") && chosen?.state !== "done";
}

// --- hands on the page

$("files").addEventListener("change", (event) => {
  add([...event.target.files]);
  event.target.value = "";
});
addEventListener("paste", (event) => {
  const files = [...event.clipboardData.files];
  if (files.length) event.preventDefault();
  add(files);
});
addEventListener("dragover", (event) => {
  event.preventDefault();
  $("drop").hidden = false;
});
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) $("drop").hidden = true;
});
addEventListener("drop", (event) => {
  event.preventDefault();
  $("drop").hidden = true;
  add([...event.dataTransfer.files]);
});

$("strength").addEventListener("input", setStrength);
$("same").addEventListener("change", setStrength);
$("divider").addEventListener("input", (event) => {
  divide(Number(event.target.value));
  view.set({ divide: event.target.value / 100 });
});
$("divider").addEventListener("keydown", (event) => {
  const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  if (!event.shiftKey || !step[event.key]) return;
  event.preventDefault();
  view.pan(...step[event.key]);
});
for (const radio of document.getElementsByName("view")) {
  radio.addEventListener("change", () => {
    if (radio.value === "compare") brush.turn(false); // its boundary needs the pointer
    lookAt(radio.value);
  });
}

const zooms = {
  "zoom-in": () => view.zoom(1.5),
  "zoom-out": () => view.zoom(1 / 1.5),
  "zoom-fit": () => view.zoomFit(),
  "zoom-full": () => view.zoomTo(1 / devicePixelRatio),
};
for (const [id, action] of Object.entries(zooms)) $(id).addEventListener("click", action);
const keys = { "+": "zoom-in", "=": "zoom-in", "-": "zoom-out", 0: "zoom-fit", 1: "zoom-full" };
addEventListener("keydown", (event) => {
  const typing = event.target.matches("input:not([type=range], [type=radio])");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !shots.length) return;
  zooms[keys[event.key]]?.();
});

$("download").addEventListener("click", (event) => {
  saving(event.target, (layer, tell) => saveOne(chosen, layer, tell));
});
$("download-all").addEventListener("click", (event) => {
  const done = shots.filter((shot) => shot.state === "done");
  saving(event.target, (layer, tell) => saveAll(done, layer, tell));
});

// --- the service

async function meet() {
  try {
    const found = await about();
    [limits, met] = [found.limits, true];
    $("access").hidden = true;
    $("model").textContent = `Model ${found.models[0].name}`;
    const most = Math.floor(limits.body_bytes / 1e6);
    $("taken").textContent = `${limits.formats.join(", ")}, up to ${most} MB each`;
  } catch (error) {
    met = error.status !== 401;
    $("access").hidden = met;
    if (!met) $("token").focus();
    $("taken").textContent = error.message;
  }
  pump();
}

$("access").addEventListener("submit", (event) => {
  event.preventDefault();
  useToken($("token").value);
  meet();
});

divide(50);
layOut();
meet();

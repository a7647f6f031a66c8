// The list of photos: one line each with a small picture, a name, a state and a way out.

export class List {
  constructor(element, { onChoose, onRemove }) {
    this.element = element;
    this.onChoose = onChoose;
    this.onRemove = onRemove;
    this.rows = new Map();
  }

  add(shot) {
    const row = document.createElement("li");
    const choose = button("choose", () => this.onChoose(shot));
    const picture = document.createElement("canvas");
    const name = text("span", "name", shot.file.name);
    const note = text("span", "note", "");
    const bar = document.createElement("progress");
    bar.setAttribute("aria-label", `Progress of ${shot.file.name}`);
    choose.append(picture, name, note);
    const out = button("remove", () => this.onRemove(shot));
    out.textContent = "×";
    out.setAttribute("aria-label", `Remove ${shot.file.name} from the list`);
    row.append(choose, out, bar);
    this.element.append(row);
    this.rows.set(shot, { row, choose, picture, note, bar });
    this.update(shot);
  }

  update(shot) {
    const { row, picture, note, bar } = this.rows.get(shot);
    row.dataset.state = shot.state;
    row.dataset.found = shot.found ?? "";
    const masked = shot.mask && !shot.mask.empty ? "Masked. " : "";
    note.textContent = shot.state === "failed" ? "Could not be restored" : masked + shot.note;
    bar.hidden = !["sending", "working", "waiting"].includes(shot.state);
    if (shot.state === "sending") bar.value = shot.share;
    else bar.removeAttribute("value");
    if (shot.thumbnail && !picture.dataset.drawn) {
      picture.dataset.drawn = "yes";
      [picture.width, picture.height] = [shot.thumbnail.width, shot.thumbnail.height];
      picture.getContext("2d").drawImage(shot.thumbnail, 0, 0);
    }
  }

  choose(chosen) {
    for (const [shot, { choose }] of this.rows) {
      if (shot === chosen) choose.setAttribute("aria-current", "true");
      else choose.removeAttribute("aria-current");
    }
  }

  remove(shot) {
    this.rows.get(shot).row.remove();
    this.rows.delete(shot);
  }

  focus(shot) {
    this.rows.get(shot)?.choose.focus();
  }
}

function button(kind, action) {
  const made = text("button", kind, "");
  made.type = "button";
  made.addEventListener("click", action);
  return made;
}

function text(tag, kind, content) {
  const made = document.createElement(tag);
  made.className = kind;
  made.textContent = content;
  return made;
}

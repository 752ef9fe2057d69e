// Recordings: start, compare, rename, delete, export.
import { get, live, refreshState, send, watch } from "/api.js";
import { write } from "/address.js";
import { comparison } from "/comparison.js";
import { ask, count, day, h, moment } from "/dom.js";
import { downloads } from "/downloads.js";
import { roving } from "/roving.js";

export function recordingsView(main, { show }) {
  const list = h("div", { class: "grid runs", role: "grid", "aria-label": "Recordings" });
  const name = h("input", { "aria-label": "Name of the new recording", placeholder: "Name, such as checkout", required: true, maxlength: 200 });
  const message = h("p", { class: "trouble", role: "status" });
  const form = h("form", { class: "line", submit: (event) => { event.preventDefault(); tell(() => start(name.value)); } }, name, h("button", {}, "Start a new recording"));
  const note = h("p", { class: "quiet", role: "status" });
  const compare = comparison(tell);
  main.append(h("section", { class: "wide" }, h("h2", {}, "Recordings"), form, message, note, compare.element,
    h("p", { class: "quiet keys-hint" }, "Keys: up and down move between rows, left and right between a row's buttons and menus."), list));
  const rows = roving(list, ".row[tabindex]", (row) => row.querySelector("button")?.click());
  let answer = null;
  let drawn = "";

  /** Runs a function and shows its error. */
  async function tell(what) {
    message.textContent = "";
    try { await what(); } catch (error) { message.textContent = error.message; }
  }

  async function start(wanted) {
    try {
      await send("POST", "recordings", { name: wanted, new: true });
    } catch (error) {
      if (error.status !== 409) throw error;
      if (!(await ask(`A recording named ${wanted} already exists.`, "Continue it", "Choose another name"))) return name.select();
      await send("POST", "recordings", { name: wanted });
    }
    name.value = "";
    await refreshState();
    await load();
  }

  async function rename(old) {
    const wanted = await ask(`New name for ${old}:`, "Rename", "Keep it", old);
    if (!wanted || wanted === old) return;
    await send("PATCH", `recordings/${encodeURIComponent(old)}`, { name: wanted });
    await load();
  }

  async function remove(row) {
    if (!(await ask(`Delete ${row.name} with its ${count(row.loads)} loads? This cannot be undone.`, "Delete", "Keep it"))) return;
    await send("DELETE", `recordings/${encodeURIComponent(row.name)}`);
    await load();
  }

  async function load() {
    answer = await get("recordings");
    draw();
  }

  /** The current recording first, then the newest. */
  function draw() {
    if (!answer) return;
    const { current, recordings } = answer;
    const key = JSON.stringify(answer);
    if (key === drawn) return;
    drawn = key;
    note.textContent = answer.note ?? "";
    const known = recordings.toReversed();
    const now = known.find((row) => row.name === current) ?? { name: current, loads: 0, first: null, last: null };
    const all = [now, ...known.filter((row) => row !== now)];
    const heads = [["name", "name"], ["number", "loads"], ["when", "when"], ["formats", "report"], ["acts", "change"]];
    list.replaceChildren(h("div", { role: "row", class: "row head" }, heads.map(([style, text]) => h("span", { role: "columnheader", class: style }, text))),
      ...all.map((row) => line(row, row === now)));
    rows.update();
    compare.update(all.filter((row) => row.loads > 0).map((row) => row.name));
  }

  function line(row, isNow) {
    const act = (title, what) => h("button", { class: "small", type: "button", tabindex: "-1", "aria-label": `${title} ${row.name}`, click: () => tell(what) }, title);
    return h("div", { role: "row", class: "row", tabindex: "-1" },
      h("span", { role: "rowheader", class: "name" }, h("button", { class: "link", type: "button", tabindex: "-1", title: `The loads of ${row.name}`, click: () => { write({ recording: row.name, search: "", verdict: "", rule: "", device: "", load: "" }); show("loads"); } }, row.name),
        isNow && h("span", { class: "tag" }, "now")),
      h("span", { role: "gridcell", class: "number" }, count(row.loads)),
      h("span", { role: "gridcell", class: "when", title: row.first === null ? null : `${day(row.first)} to ${day(row.last)}` }, row.first === null ? "" : moment(row.first, row.last)),
      h("span", { role: "gridcell", class: "formats" }, row.loads > 0 && downloads("Download", `All loads of ${row.name}, as:`, () => new URLSearchParams({ recording: row.name }), "-1", `Download ${row.name}`)),
      h("span", { role: "gridcell", class: "acts" }, !isNow && answer.mayChange && [act("Rename", () => rename(row.name)), act("Delete", () => remove(row))]));
  }

  const stop = watch(draw);
  tell(load);
  return { leave: stop, key: (key) => rows.key(key) };
}

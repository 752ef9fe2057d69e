// The frame of the page: header, views, keys.
import { changed, live, open, refreshState, watch } from "/api.js";
import { read, wentTo, write } from "/address.js";
import { clock, h, put } from "/dom.js";
import { devicesView } from "/devices.js";
import { dictionaryView } from "/dictionary.js";
import { fleetView } from "/fleet.js";
import { loadsView } from "/loads.js";
import { lostBanner } from "/lost.js";
import { recordingsView } from "/recordings.js";
import { whatIfView } from "/whatif.js";

const views = [
  ["loads", "Loads", loadsView], ["dictionary", "Dictionary", dictionaryView], ["whatif", "What if", whatIfView],
  ["recordings", "Recordings", recordingsView], ["devices", "Devices", devicesView],
];
/** Only for a gate with a shared store. */
const fleet = ["fleet", "Fleet", fleetView];
const newsMilliseconds = 60_000;
const shownMilliseconds = 10_000;
const main = document.getElementById("main");
const tabs = document.getElementById("tabs");
let current = null;
let shownView = "";

/** Changes to another view. @param isNew adds an entry to the history. */
function show(name, isNew = true) {
  const [key, , make] = views.find(([key]) => key === name) ?? views[0];
  current?.leave?.();
  if (isNew) write({ view: key === "loads" ? "" : key, ...(key === shownView ? {} : { load: "" }) }, true);
  shownView = key;
  for (const tab of tabs.children) {
    if (tab.dataset.view === key) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  main.className = key;
  main.replaceChildren();
  current = make(main, { show });
  changed();
}

function addTab([key, title]) {
  const tab = h("button", { type: "button", title: `Key ${tabs.childElementCount + 1}`, click: () => { if (key !== shownView) show(key); } }, title);
  tab.dataset.view = key;
  tabs.append(tab);
}
views.forEach(addTab);

// Back and Forward change to another view, or to another load in this view.
addEventListener("popstate", (event) => {
  if (!wentTo(event.state)) return;
  const name = read().view || "loads";
  if (name !== shownView) show(name, false);
  else current?.moved?.();
});

watch(() => {
  const mark = document.getElementById("live");
  mark.className = `live ${live.isOpen ? "on" : "off"}`;
  put(mark, live.isOpen ? "live" : "reconnecting");
  const state = live.state;
  if (!state) return;
  if (state.shared && !views.includes(fleet)) {
    views.push(fleet);
    addTab(fleet);
    if (read().view === "fleet") show("fleet", false);
  }
  const facts = [state.recording, state.os ?? "each client's own release", state.mode, state.policy ?? "secure defaults"];
  put(document.getElementById("facts"), facts.join("  ·  "));
  const mode = document.getElementById("mode");
  mode.hidden = state.mode !== "witness";
  put(mode, mode.hidden ? "" : "Witness mode: nothing is enforced, and TLS is not decrypted. Verdicts are predictions; each load shows what the device did.");
});

const told = new Set();

/** Shows a recent notice once; a new stream repeats old ones. All notices except troubles disappear after some time. */
function notify(notice) {
  const key = `${notice.time} ${notice.sentence}`;
  if (told.has(key) || notice.time < Date.now() - newsMilliseconds) return;
  told.add(key);
  const list = document.getElementById("notices");
  const item = h("li", { class: notice.kind }, h("time", {}, clock(notice.time)), h("span", {}, notice.sentence),
    h("button", { class: "small", type: "button", "aria-label": "Dismiss", click: () => item.remove() }, "Dismiss"));
  if (notice.kind === "policy") for (const old of list.querySelectorAll(".trouble")) old.remove();
  if (notice.kind !== "trouble") setTimeout(() => item.remove(), shownMilliseconds);
  list.prepend(item);
  while (list.children.length > 3) list.lastChild.remove();
  refreshState().catch(() => {});
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target.matches?.("input, textarea, select");
  if (event.key === "Escape" && isTyping) {
    // Firefox would clear the search.
    event.preventDefault();
    return event.target.blur();
  }
  if (isTyping || document.querySelector("dialog[open]")) return;
  if (event.key === "?") return document.getElementById("help").showModal();
  const view = views[Number(event.key) - 1];
  if (view) return void (view[0] !== shownView && show(view[0]));
  if (current?.key?.(event.key, event.target)) event.preventDefault();
});

refreshState().catch((error) => notify({ kind: "trouble", time: Date.now(), sentence: error.message }));
open(notify);
lostBanner(document.getElementById("lost"));
show(read().view, false);

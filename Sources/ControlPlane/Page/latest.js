// The latest loads one by one, the newest first, as far as the page was told of them.
import { alone } from "/api.js";
import { badge, clock, h, put } from "/dom.js";

export function latestList(choose) {
  const element = h("div", { class: "latest", role: "list", "aria-label": "The latest loads" });
  const rows = new Map();
  return {
    element,
    update(loads, chosen) {
      const kept = new Set(loads.map((load) => load.id));
      for (const [id, row] of rows) {
        if (kept.has(id)) continue;
        row.remove();
        rows.delete(id);
      }
      loads.forEach((load, index) => alone(() => {
        let row = rows.get(load.id);
        if (!row) rows.set(load.id, row = loadRow(load, choose));
        row.setAttribute("aria-pressed", String(load.id === chosen));
        if (element.children[index] !== row) element.insertBefore(row, element.children[index] ?? null);
      }));
    },
  };
}

function loadRow(load, choose) {
  const cell = (name, text) => {
    const span = h("span", { class: name });
    put(span, text);
    return span;
  };
  const url = h("span", { class: "what" }, h("span", { class: "title" }, `${load.method} ${load.url}`), h("span", { class: "rule" }, load.rule ?? ""));
  return h("button", { class: "row", type: "button", click: () => choose(load) }, h("span", { class: "mark" }, badge(load.verdict)), url,
    cell("codes", load.apple ?? ""), cell("device", `${load.device}, ${load.os}`), cell("loads", load.status ? String(load.status) : ""), cell("time", clock(load.time)));
}

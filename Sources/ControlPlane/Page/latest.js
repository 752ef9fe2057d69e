// The latest loads, one by one.
import { alone } from "/api.js";
import { badge, clock, h, isAnswered, put } from "/dom.js";
import { keyed } from "/roving.js";
import { cell, comparing, headRow, size, span } from "/sort.js";

export const latestOrders = ["time", "worst", "host", "method", "status", "milliseconds", "received", "app", "device"];
const columns = [["mark", "worst", "verdict"], ["method", "method"], ["what", "host", "URL and rule"], ["codes", "code", "a device reports"], ["status", "status"], ["app", "app"], ["device", "device"],
  ["size", "received"], ["took", "milliseconds"], ["time", "time"]];

export function latestList(onSort) {
  const heads = headRow(columns, "time", onSort);
  const body = h("div", { class: "body", role: "rowgroup" });
  const element = h("div", { class: "latest grid", role: "grid", "aria-label": "Latest loads" }, heads.element, body);
  const rows = keyed(body, loadRow, alone);
  return {
    element,
    /** @param chosen the id of the load that is open. */
    update(loads, sort, chosen) {
      heads.update(sort);
      rows.update(new Map(loads.toSorted(comparing(sort, "time")).map((load) => [load.id, { load, chosen }])));
    },
    load: (row) => row.load,
  };
}

function loadRow({ load }) {
  const rule = h("span", { class: "rule" });
  put(rule, [load.rule, load.found].filter(Boolean).join(", found by "));
  const url = h("span", { class: "title" });
  put(url, load.url);
  const element = h("div", { class: "row", role: "row", tabindex: "-1" }, h("span", { role: "gridcell", class: "mark" }, badge(load.verdict)),
    cell("method", load.method), h("span", { role: "gridcell", class: "what" }, url, rule), cell("codes", load.apple ?? ""), cell("status", load.status && isAnswered(load.verdict) ? String(load.status) : ""),
    cell("app", load.app ?? ""), cell("device", `${load.device}, ${load.os}`), cell("size", size(load.received)), cell("took", span(load.milliseconds)), cell("time", clock(load.time)));
  element.load = load;
  return { element, update({ chosen }) { element.setAttribute("aria-selected", String(load.id === chosen)); } };
}

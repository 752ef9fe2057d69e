// Compares two recordings: the hosts whose outcomes differ.
import { get } from "/api.js";
import { h, plural } from "/dom.js";

/** @param tell runs a function and shows its error. */
export function comparison(tell) {
  const choice = (title) => h("select", { "aria-label": title });
  const [before, after] = [choice("before"), choice("after")];
  const result = h("div", { "aria-live": "polite" });
  const line = h("div", { class: "line" }, h("span", {}, "Compare"), before, h("span", {}, "with"), after, h("button", { type: "button", click: () => tell(async () => {
    const query = new URLSearchParams({ before: before.value, after: after.value });
    result.replaceChildren(difference(await get(`recordings/diff?${query}`)));
  }) }, "Compare"));
  return {
    element: h("div", {}, line, result),
    /** @param names the newest first. */
    update(names) {
      line.hidden = names.length < 2;
      for (const [select, place] of [[before, 1], [after, 0]]) {
        const chosen = names.includes(select.value) ? select.value : names[place];
        select.replaceChildren(...names.map((name) => h("option", { value: name }, name)));
        if (chosen) select.value = chosen;
      }
    },
  };
}

function difference(diff) {
  const troubles = (list, row) => list.map((one) => `${one.verdict} by ${one.rule ?? "-"} (${one.loads})`).join(", ") || (row.inBoth ? "allowed" : "not loaded");
  return h("section", {}, h("h3", {}, `${diff.before} and ${diff.after}`), diff.note && h("p", { class: "quiet" }, diff.note), h("p", { class: "quiet" }, `${plural(diff.same, "host")} with the same result`),
    diff.hosts.length > 0 && h("table", { tabindex: "0" }, h("thead", {}, h("tr", {}, ["host", "change", "before", "after"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, diff.hosts.map((row) => h("tr", { class: row.newlyBlocked ? "worse" : "" }, h("th", { scope: "row" }, row.host), h("td", {}, row.change),
        h("td", {}, troubles(row.before, row)), h("td", {}, troubles(row.after, row)))))));
}

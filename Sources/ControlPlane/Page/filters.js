// The bar above the lists: search, filters, choice of list, and actions.
import { live } from "/api.js";
import { board, clearList, pause, showAll, totals } from "/board.js";
import { downloads } from "/downloads.js";
import { filterNames, hasFilter, queryOf, read, write } from "/address.js";
import { clock, count, h, put, verdicts } from "/dom.js";
import { sortChoice } from "/sort.js";

const typingMilliseconds = 150;
/** Titles of filters that differ from the API's names. */
const titles = { entrance: "entrance" };
export const lists = [["", "By host", "h"], ["latest", "Latest", "l"], ["timeline", "Timeline", "t"]];

/** The filters of `atsgate report`, each a part of the address. */
export function filterBar(onChange, onList) {
  const change = (values) => { write(values); onChange(); };
  let typing = null;
  const search = h("input", { type: "search", placeholder: "Search host, path, rule, code, method, status, device", "aria-label": "Search loads",
    autocomplete: "off", spellcheck: "false", input: () => {
      clearTimeout(typing);
      typing = setTimeout(() => change({ search: search.value.trim() }), typingMilliseconds);
    } });
  const chips = verdicts.map(([verdict, words]) => h("button", { class: `chip ${verdict}`, type: "button", "aria-pressed": "false", click: () => {
    const chosen = new Set(read().verdict.split(",").filter(Boolean));
    if (!chosen.delete(verdict)) chosen.add(verdict);
    change({ verdict: [...chosen].join(",") });
  } }, h("b", {}, "0"), ` ${words}`));
  const selects = ["rule", "app", "device", "entrance", "hello", "recording"].map((name) => {
    const select = h("select", { "aria-label": titles[name] ?? name, change: () => change({ [name]: select.value }) });
    return [name, select];
  });
  const kinds = lists.map(([value, title, key]) => [value, h("button", { class: "chip", type: "button", title: `Key ${key}`, click: () => onList(value) }, title)]);
  const sorting = sortChoice(onChange);
  const clearButton = h("button", { class: "small", type: "button", title: "Key c", click: clear }, "Clear filters");
  const holdButton = h("button", { class: "small", type: "button", title: "Key p", "aria-pressed": "false", click: pause }, "Pause");
  const emptyButton = h("button", { class: "small", type: "button", title: "Key x: hides the listed loads; the recording keeps them", click: () => (board.cleared ? showAll() : clearList()) }, "Clear list");
  const exported = downloads("Export", "The filtered loads of the selected recording, or else of the current one, as:", () => queryOf(read(), board.cleared?.time));
  const element = h("div", { class: "filters" },
    h("div", { class: "top" }, h("div", { class: "chips", role: "group", "aria-label": "Verdicts" }, chips),
      h("div", { class: "chips kinds", role: "group", "aria-label": "Lists" }, kinds.map(([, button]) => button))),
    h("div", { class: "fields" }, search, selects.map(([, select]) => select), sorting.element, clearButton, h("span", { class: "gap" }), holdButton, emptyButton, exported));
  search.value = read().search;

  function clear() {
    clearTimeout(typing);
    search.value = "";
    change(Object.fromEntries(filterNames.map((name) => [name, ""])));
  }

  function updateSelect(name, select, filter) {
    const values = [...new Set([...live.groups.values()].map((group) => group[name]).filter(Boolean))].sort();
    if (filter[name] && !values.includes(filter[name])) values.push(filter[name]);
    const texts = ["", ...values];
    if (texts.join("\n") !== [...select.options].map((option) => option.value).join("\n")) {
      select.replaceChildren(...texts.map((value) => h("option", { value }, value || `any ${titles[name] ?? name}`)));
    }
    if (select.value !== filter[name]) select.value = filter[name];
    select.hidden = values.length < 2 && !filter[name];
  }

  return {
    element, clear,
    focus: () => { search.focus(); search.select(); },
    /** Sets the field to the search in the address, after Back or Forward. */
    reread() { clearTimeout(typing); search.value = read().search; },
    update(names) {
      const filter = read();
      const chosen = filter.verdict.split(",");
      const sums = totals();
      verdicts.forEach(([verdict], index) => {
        put(chips[index].firstChild, count(sums[verdict] ?? 0));
        chips[index].setAttribute("aria-pressed", String(chosen.includes(verdict)));
      });
      for (const [value, button] of kinds) button.setAttribute("aria-pressed", String(filter.list === value));
      for (const [name, select] of selects) updateSelect(name, select, filter);
      sorting.update(filter.sort, names);
      clearButton.hidden = !hasFilter(filter);
      holdButton.setAttribute("aria-pressed", String(Boolean(board.held)));
      put(holdButton, board.held ? (live.changes > board.held.changes ? "Paused, new loads" : "Paused") : "Pause");
      put(emptyButton, board.cleared ? `Show loads before ${clock(board.cleared.time)}` : "Clear list");
    },
  };
}

// The columns of the lists and their sort orders.
import { read, write } from "/address.js";
import { h, put, verdicts } from "/dom.js";

export const badness = Object.fromEntries(verdicts.map(([verdict], index) => [verdict, index]));
const text = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

/** By name: the label, a comparison of two loads or hosts, and true if the largest comes first. */
const orders = {
  worst: ["worst", (one, other) => badness[one.verdict] - badness[other.verdict] || text(one.host, other.host)],
  method: ["method", (one, other) => text(one.method, other.method)],
  host: ["host", (one, other) => text(one.host, other.host) || text(one.url ?? "", other.url ?? "")],
  code: ["code", (one, other) => text(other.apple ?? "", one.apple ?? "")],
  status: ["status", (one, other) => (one.status ?? 0) - (other.status ?? 0)],
  app: ["app", (one, other) => text(one.app ?? "", other.app ?? "")],
  device: ["device", (one, other) => text(one.device, other.device)],
  loads: ["loads", (one, other) => one.loads - other.loads, true],
  received: ["size", (one, other) => one.received - other.received, true],
  milliseconds: ["took", (one, other) => (one.milliseconds ?? 0) - (other.milliseconds ?? 0), true],
  // For gates.
  machine: ["machine", (one, other) => text(one.machine, other.machine) || text(one.label ?? "", other.label ?? "")],
  version: ["version", (one, other) => text(one.version, other.version)],
  policy: ["policy", (one, other) => text(one.policy ?? "", other.policy ?? "")],
  ...Object.fromEntries(["started", "seen", "waiting", "blocked"].map((name) => [name, [name, (one, other) => (one[name] ?? 0) - (other[name] ?? 0), true]])),
  time: ["time", (one, other) => one.time - other.time, true],
};

/** The order in the address if it is one of `names`; it may be another list's. */
export function ordered(names) {
  const { sort } = read();
  return names.includes(sort.replace("-", "")) ? sort : "";
}

/** The comparison for an order: a name, with a leading `-` for the reverse. */
export function comparing(sort, usual) {
  const name = sort.replace("-", "");
  const [, compare, isDown] = orders[name] ?? orders[usual];
  const sign = Boolean(isDown) !== (orders[name] ? sort.startsWith("-") : false) ? -1 : 1;
  return (one, other) => sign * compare(one, other);
}

/** A row of heads that sort. @param columns pairs of a class and the name of an order, "" for none. */
export function headRow(columns, usual, onChange) {
  const buttons = [];
  // One tab stop for all heads; the left and right arrow keys move between them.
  const beside = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = step && buttons[buttons.indexOf(event.target) + step];
    if (!next) return;
    event.preventDefault();
    for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
    next.focus();
  };
  const heads = columns.map(([style, name, words]) => {
    const title = words ?? orders[name]?.[0] ?? "";
    if (!name) return h("span", { role: "columnheader", class: style }, title);
    const button = h("button", { type: "button", class: "head", tabindex: buttons.length ? "-1" : "0", keydown: beside, click: () => {
      write({ sort: next(ordered(columns.map(([, name]) => name)) || usual, name) });
      onChange();
    } }, title);
    buttons.push(button);
    return h("span", { role: "columnheader", class: style, "data-order": name }, button);
  });
  return {
    element: h("div", { role: "rowgroup", class: "heads" }, h("div", { role: "row", class: "row head" }, heads)),
    update(sort) {
      for (const head of heads) {
        const name = head.dataset.order;
        const isSorted = name && (sort || usual).replace("-", "") === name;
        if (!isSorted) head.removeAttribute("aria-sort");
        else head.setAttribute("aria-sort", Boolean(orders[name][2]) === sort.startsWith("-") ? "ascending" : "descending");
      }
    },
  };
}

const next = (sort, name) => (sort === name ? `-${name}` : name);

/** A select for narrow screens, which have no heads. */
export function sortChoice(onChange) {
  const select = h("select", { "aria-label": "sort by", class: "sorting", change: () => { write({ sort: select.value }); onChange(); } });
  return {
    element: select,
    update(sort, names) {
      const wanted = ["", ...names];
      if (wanted.join() !== [...select.options].map((option) => option.value).join()) {
        select.replaceChildren(...wanted.map((name) => h("option", { value: name }, name ? `by ${orders[name][0]}` : "default order")));
      }
      const name = sort.replace("-", "");
      if (select.value !== name) select.value = wanted.includes(name) ? name : "";
    },
  };
}

/** Formats a number of bytes. */
export function size(bytes) {
  if (!bytes) return "";
  const units = ["B", "kB", "MB", "GB"];
  const unit = Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const number = bytes / 1000 ** unit;
  return `${unit === 0 || number >= 100 ? Math.round(number) : number.toFixed(1)} ${units[unit]}`;
}

/** Formats a duration. */
export function span(milliseconds) {
  if (milliseconds === null || milliseconds === undefined) return "";
  return milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}

/** An element for use with `put`. */
export const cell = (style, value = "") => {
  const element = h("span", { role: "gridcell", class: style });
  put(element, value);
  return element;
};

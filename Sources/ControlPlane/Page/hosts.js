// Loads by host: one row for each outcome.
import { alone } from "/api.js";
import { badge, clock, count, h, plural, put, unruled } from "/dom.js";
import { keyed } from "/roving.js";
import { badness, cell, comparing, headRow, size, span } from "/sort.js";

export const hostOrders = ["worst", "loads", "host", "time", "milliseconds", "received"];
const columns = [["mark", "worst", "verdict"], ["what", "host", "host and reason"], ["codes", "", "a device reports"], ["app", "", "app"], ["device", "", "device"], ["size", "received"], ["took", "milliseconds"],
  ["loads", "loads"], ["time", "time", "last"]];
const shownRows = 400;

/** The key of a group, the same for live groups and those from the store. */
export const keyOf = (row) => [row.recording, row.verdict, row.origin, row.rule, row.app, row.device, row.os].join("\n");

export function hostList(onSort) {
  const heads = headRow(columns, "worst", onSort);
  const element = h("div", { class: "groups grid", role: "grid", "aria-label": "Loads by host" }, heads.element);
  const body = h("div", { class: "body", role: "presentation" });
  element.append(body);
  const blocks = keyed(body, (host) => hostBlock(host.name), alone);
  return {
    element,
    /** @param chosen the key of the group whose load is open. @returns the number of groups that are left out. */
    update(groups, sort, chosen) {
      heads.update(sort);
      const byHost = Map.groupBy(groups, (group) => group.host);
      const hosts = [...byHost].map(([name, members]) => summary(name, members)).sort(comparing(sort, "worst"));
      let rows = 0;
      const shown = new Map();
      for (const host of hosts) {
        if (rows + host.members.length > shownRows) break;
        rows += host.members.length;
        shown.set(host.name, { ...host, sort, chosen });
      }
      blocks.update(shown);
      return groups.length - rows;
    },
    group: (row) => row.group,
  };
}

/** The sums and maxima of a host, for sorting. */
function summary(name, members) {
  const most = (value) => members.reduce((greatest, one) => Math.max(greatest, value(one) ?? 0), 0);
  return {
    name, host: name, members, loads: members.reduce((sum, one) => sum + one.loads, 0), time: most((one) => one.time),
    milliseconds: most((one) => one.milliseconds), received: most((one) => one.received),
    verdict: members.reduce((worst, one) => (badness[one.verdict] < badness[worst] ? one.verdict : worst), "outside"),
  };
}

function hostBlock(name) {
  const total = h("span", { class: "quiet" });
  const element = h("div", { class: "host", role: "rowgroup" },
    h("div", { role: "row", class: "named" }, h("span", { role: "rowheader" }, h("span", { class: "name" }, name), " ", total)));
  const rows = h("div", { role: "presentation" });
  element.append(rows);
  const groups = keyed(rows, groupRow, alone);
  return {
    element,
    update(host) {
      put(total, plural(host.loads, "load"));
      const members = host.members.toSorted(comparing(host.sort, "worst"));
      groups.update(new Map(members.map((group) => [keyOf(group), { group, chosen: host.chosen }])));
    },
  };
}

function groupRow() {
  const [title, rule] = ["title", "rule"].map((style) => h("span", { class: style }));
  const mark = h("span", { role: "gridcell", class: "mark" });
  const [codes, app, device, bytes, took, loads, time] = ["codes", "app", "device", "size", "took", "loads", "time"].map((style) => cell(style));
  const element = h("div", { class: "row", role: "row", tabindex: "-1" }, mark, h("span", { role: "gridcell", class: "what" }, title, rule), codes, app, device, bytes, took, loads, time);
  let verdict = null;
  return {
    element,
    update({ group, chosen }) {
      if (verdict !== group.verdict) mark.replaceChildren(badge(group.verdict));
      verdict = group.verdict;
      element.group = group;
      put(title, group.title ?? unruled[verdict]);
      // Not by URL, which throws for some names that clients request: it reads x.123 as an address.
      put(rule, [group.rule ?? group.origin.split(":")[0], group.found].filter(Boolean).join(", found by "));
      put(codes, group.apple ?? "");
      put(app, group.app ?? "");
      put(device, `${group.device}, ${group.os}`);
      put(bytes, size(group.received));
      put(took, span(group.milliseconds));
      put(loads, count(group.loads));
      put(time, clock(group.time));
      element.setAttribute("aria-selected", String(keyOf(group) === chosen));
    },
  };
}

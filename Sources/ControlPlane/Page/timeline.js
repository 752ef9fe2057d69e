// Loads over time: a lane for each host, a bar for each load, as long as its duration.
import { alone } from "/api.js";
import { clock, h, plural, put, s } from "/dom.js";
import { keyed } from "/roving.js";
import { badness, span } from "/sort.js";

const laneWidth = 1000;
const laneHeight = 20;
const shortest = 5;
const mostLanes = 40;

export function timeline() {
  const [begin, middle, end] = [0, 0, 0].map(() => h("span", {}));
  const axis = h("div", { class: "axis", "aria-hidden": "true" }, h("span", {}), h("span", { class: "times" }, begin, middle, end));
  const body = h("div", { class: "body", role: "rowgroup" });
  const element = h("div", { class: "timeline grid", role: "grid", "aria-label": "Loads over time, by host" }, body);
  const lanes = keyed(body, () => lane(), alone);
  return {
    element: h("div", { class: "over-time" }, axis, element),
    /** @returns the number of hosts that are left out. */
    update(loads, chosen) {
      const first = loads.reduce((least, load) => Math.min(least, load.time), Infinity);
      const last = loads.reduce((most, load) => Math.max(most, load.time + (load.milliseconds ?? 0)), -Infinity);
      const length = Math.max(1, last - first);
      axis.hidden = loads.length === 0;
      if (loads.length) {
        put(begin, clock(first));
        put(middle, `${span(length)} in all`);
        put(end, clock(last));
      }
      const byHost = [...Map.groupBy(loads, (load) => load.host)]
        .map(([host, members]) => ({ host, members: members.toSorted((one, other) => badness[other.verdict] - badness[one.verdict] || one.time - other.time) }))
        .sort((one, other) => badness[one.members.at(-1).verdict] - badness[other.members.at(-1).verdict] || (one.host < other.host ? -1 : 1));
      lanes.update(new Map(byHost.slice(0, mostLanes).map((host) => [host.host, { ...host, first, length, chosen }])));
      return Math.max(0, byHost.length - mostLanes);
    },
    /** The load that was clicked, or else the worst and latest of the lane. */
    load: (row, event) => row.loads.find((load) => load.id === event?.target?.dataset?.id) ?? row.loads.at(-1),
  };
}

function lane() {
  const name = h("span", { role: "rowheader", class: "name" });
  const bars = s("svg", { viewBox: `0 0 ${laneWidth} ${laneHeight}`, preserveAspectRatio: "none", class: "lane", role: "img", "aria-label": "loads over time" });
  const total = h("span", { role: "gridcell", class: "loads" });
  const element = h("div", { role: "row", class: "row", tabindex: "-1" }, name, h("span", { role: "gridcell", class: "bars" }, bars), total);
  let drawn = "";
  return {
    element,
    update({ host, members, first, length, chosen }) {
      element.loads = members;
      put(name, host);
      put(total, plural(members.length, "load"));
      element.setAttribute("aria-selected", String(members.some((load) => load.id === chosen)));
      const key = `${first} ${length} ${chosen} ${members.length} ${members[0].id} ${members.at(-1).id}`;
      if (key === drawn) return;
      drawn = key;
      bars.setAttribute("aria-label", `${host}: ${members.map((load) => `${load.verdict} at ${clock(load.time)}`).slice(-5).join(", ")}`);
      bars.replaceChildren(...members.map((load) => bar(load, first, length, chosen)));
    },
  };
}

/** A load's bar. The worst loads are drawn last, on top. */
function bar(load, first, length, chosen) {
  const x = Math.round((load.time - first) / length * (laneWidth - shortest));
  const width = Math.max(shortest, Math.round((load.milliseconds ?? 0) / length * laneWidth));
  return s("rect", { x, y: 2, width: Math.min(width, laneWidth - x), height: laneHeight - 4, class: `${load.verdict}${load.id === chosen ? " chosen" : ""}`, fill: "currentColor", "data-id": load.id },
    s("title", {}, `${load.method} ${load.url}: ${load.verdict}${load.rule ? ` by ${load.rule}` : ""}, ${span(load.milliseconds)}`));
}

// The gates that share a store: their state, and the hosts they block.
import { alone, get } from "/api.js";
import { read } from "/address.js";
import { clock, count, day, h, plural, put } from "/dom.js";
import { keyed, roving } from "/roving.js";
import { cell, comparing, headRow, ordered, sortChoice } from "/sort.js";

const shortestMilliseconds = 10_000;
/** Limits the load on server and gate to a tenth of the time. */
const timesAsLong = 10;
const namesShown = 3;
const orders = ["machine", "version", "policy", "started", "seen", "waiting", "loads", "blocked"];
const columns = [["name", "machine"], ["version", "version"], ["policy", "policy"], ["when", "started"], ["when", "seen"], ["number", "waiting"], ["number", "loads"], ["number", "blocked"]];
const hostColumns = [["name", "", "host"], ["rule", "", "rule"], ["number", "", "loads"], ["when", "", "last"], ["gates", "", "gates"]];

export function fleetView(main) {
  const [state, note, none] = ["trouble", "quiet", "quiet"].map((style) => h("p", { class: style, role: "status" }));
  // No status roles: these texts change all the time and should not be read out.
  const [own, sum] = [h("p"), h("p", { class: "quiet" })];
  const heads = headRow(columns, "machine", draw);
  const sorting = sortChoice(draw);
  const [gates, hosts] = [heads.element, headRow(hostColumns, "", draw).element].map((head, index) => {
    const body = h("div", { class: "body", role: "rowgroup" });
    return { body, element: h("div", { class: `grid runs ${index ? "blocked-hosts" : "gates"}`, role: "grid", "aria-label": index ? "Blocked hosts" : "Gates" }, head, body) };
  });
  const hours = h("select", { "aria-label": "blocked within", change: look }, [[1, "the last hour"], [24, "the last day"]].map(([value, words]) => h("option", { value }, words)));
  const lists = h("div", { class: "fleet-lists" }, gates.element, h("div", { class: "line" }, h("h3", {}, "Blocked in"), hours), none, hosts.element);
  main.append(h("section", { class: "wide" }, h("h2", {}, "Fleet"), h("div", { class: "fleet-words" }, state, own, note), h("div", { class: "line" }, sum, sorting.element), lists));
  const rows = roving(lists, ".row[tabindex]", () => {});
  const [gateRows, hostRows] = [keyed(gates.body, gateRow, alone), keyed(hosts.body, hostRow, alone)];
  let answer = null;
  let timer = null;
  let isGone = false;

  async function look() {
    clearTimeout(timer);
    timer = null;
    const [begun, asked] = [performance.now(), hours.value];
    try {
      const got = await get(`fleet?hours=${asked}`);
      if (asked !== hours.value || isGone) return;
      answer = got;
      draw();
    } catch (error) {
      if (isGone) return;
      put(state, error.message);
    }
    clearTimeout(timer);
    timer = setTimeout(look, Math.max(shortestMilliseconds, timesAsLong * (performance.now() - begun)));
  }

  function draw() {
    if (!answer) return;
    const sort = ordered(orders);
    const known = new Map(answer.gates.map((gate) => [gate.spool, gate.label ? `${gate.machine} ${gate.label}` : gate.machine]));
    put(state, troubleOf(answer));
    put(own, ownWords(answer.own));
    put(note, answer.note ?? "");
    put(sum, sumOf(answer));
    lists.hidden = answer.time === null;
    heads.update(sort);
    sorting.update(sort, orders);
    gateRows.update(new Map(answer.gates.toSorted(comparing(sort, "machine")).map((gate) => [gate.spool, gate])));
    hostRows.update(new Map(answer.blocked.map((one) => [`${one.host}\n${one.rule}`, { one, known }])));
    const isEmpty = answer.blocked.length === 0;
    hosts.element.hidden = isEmpty;
    put(none, isEmpty && !answer.note ? "No loads were blocked." : "");
    rows.update();
  }

  look();
  return { leave() { isGone = true; clearTimeout(timer); }, moved: draw, key: (key) => rows.key(key) };
}

/** A message as a sentence. */
const ended = (words) => (/[.?!]$/.test(words) ? words : `${words}.`);

const troubleOf = ({ time, trouble }) => !trouble ? ""
  : `No answer from the shared store: ${ended(trouble)} ${time === null ? "It has not answered since this gate started." : `The data shown is from ${clock(time)}.`}`;

/** This gate's own state, which needs no server. */
function ownWords(own) {
  if (!own) return "";
  const waiting = own.waiting ? `${plural(own.waiting, "load")} of this gate ${own.waiting === 1 ? "is" : "are"} not in the shared store yet; the oldest is from ${ago(own.oldestSeconds)} ago.` : "All loads of this gate are in the shared store.";
  return [waiting, own.isConnected ? "" : own.trouble ? `This gate cannot reach the store: ${ended(own.trouble)}` : "This gate is not shipping; another gate on this machine may be.",
    own.dropped && `${plural(own.dropped, "load")} dropped because the spool was full.`, own.refused && `The server refuses ${plural(own.refused, "load")}.`].filter(Boolean).join(" ");
}

function sumOf({ gates, gateCount }) {
  const silent = gates.filter((gate) => gate.isSilent).length;
  const waiting = gates.reduce((sum, gate) => sum + gate.waiting, 0);
  return [plural(gateCount, "gate"), gates.length < gateCount && `${gates.length} of them listed, the latest of each login first`, silent && `${count(silent)} silent for more than 2 minutes`,
    `${plural(waiting, "load")} waiting`].filter(Boolean).join(", ");
}

function ago(seconds) {
  const units = [[86_400, "d"], [3_600, "h"], [60, "min"]];
  const [length, unit] = units.find(([length]) => seconds >= 2 * length) ?? [1, "s"];
  return `${count(Math.floor(seconds / length))} ${unit}`;
}

const named = (style, name) => h("span", { role: "gridcell", class: style, "data-name": name });

function gateRow() {
  const [machine, label] = [h("b"), h("span", { class: "quiet" })];
  const tags = h("span");
  const [version, policy, started, seen, waiting, loads, blocked] = columns.slice(1).map(([style, name]) => named(style, name));
  const element = h("div", { class: "row", role: "row", tabindex: "-1" }, h("span", { role: "rowheader", class: "name" }, machine, " ", label, tags), version, policy, started, seen, waiting, loads, blocked);
  let shown = "";
  return {
    element,
    update(gate) {
      put(machine, gate.machine);
      put(label, gate.label ?? "");
      put(version, gate.version);
      put(policy, gate.policy ?? "secure defaults");
      put(started, gate.started === null ? "" : day(gate.started));
      put(seen, gate.seen === null ? "never" : `${ago(gate.silentSeconds)} ago`);
      if (gate.seen !== null) seen.title = day(gate.seen);
      for (const [place, number] of [[waiting, gate.waiting], [loads, gate.loads], [blocked, gate.blocked]]) put(place, count(number));
      blocked.className = `number ${gate.blocked ? "blocked" : ""}`;
      element.title = `login ${gate.login}`;
      const words = [gate.isOwn && "this gate", gate.isSilent && (gate.waiting ? "silent, loads left" : "silent")].filter(Boolean);
      if (words.join() !== shown) tags.replaceChildren(...words.map((text) => h("span", { class: text.includes("left") ? "tag trouble" : "tag" }, text)));
      shown = words.join();
    },
  };
}

function hostRow() {
  const host = h("span", { role: "rowheader", class: "name" });
  const rest = hostColumns.slice(1).map(([style, , name]) => named(style, name));
  return {
    element: h("div", { class: "row", role: "row", tabindex: "-1" }, host, rest),
    update({ one, known }) {
      put(host, one.host);
      const names = one.gates.slice(0, namesShown).map((spool) => known.get(spool) ?? "a gate that is not listed");
      if (one.gateCount > names.length) names.push(`${count(one.gateCount - names.length)} more`);
      [one.rule ?? "", count(one.loads), day(one.last), names.join(", ")].forEach((text, index) => put(rest[index], text));
    },
  };
}

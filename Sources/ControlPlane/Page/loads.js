// Live loads: the lists, and the details of one load.
import { get, live, watch } from "/api.js";
import { hasFilter, read, write } from "/address.js";
import { board, clearList, pause, showAll, shown } from "/board.js";
import { copy, linesOf } from "/copies.js";
import { detail } from "/detail.js";
import { h, plural, put } from "/dom.js";
import { emptyState, nothingFound } from "/empty.js";
import { filterBar, lists } from "/filters.js";
import { markFound } from "/found.js";
import { hostList, hostOrders, keyOf } from "/hosts.js";
import { latestList, latestOrders } from "/latest.js";
import { roving } from "/roving.js";
import { ordered } from "/sort.js";
import { timeline } from "/timeline.js";

const narrow = matchMedia("(max-width: 900px)");

export function loadsView(main) {
  const filters = filterBar(() => render(), (list) => { write({ list, load: "", sort: "" }, true); moved(); });
  const [hosts, latest, times] = [hostList(() => render()), latestList(() => render()), timeline()];
  const end = h("p", { class: "quiet", role: "status" });
  const empty = emptyState();
  const nothing = nothingFound(() => filters.clear());
  const side = h("aside", { class: "side", "aria-label": "Load details" });
  const place = h("div", { class: "rows" }, hosts.element, latest.element, times.element);
  main.append(h("section", { class: "list", "aria-label": "Loads" }, filters.element, empty.element, nothing.element, place, end), side);
  const rows = roving(place, ".row[tabindex]", (row, event, isKey) => {
    const id = row.group?.last ?? row.load?.id ?? times.load(row, event)?.id;
    if (id) openLoad(id, isKey || narrow.matches);
  });
  /** The id of the load that is open or being fetched. */
  let wanted = "";
  let record = null;

  function render() {
    const filter = read();
    const list = shown(filter);
    const orders = filter.list === "" ? hostOrders : filter.list === "latest" ? latestOrders : [];
    const sort = ordered(orders);
    filters.update(orders);
    const chosen = record && keyOf(rowOf(record));
    hosts.element.hidden = filter.list !== "";
    latest.element.hidden = filter.list !== "latest";
    times.element.hidden = filter.list !== "timeline";
    let more = "";
    if (filter.list === "") more = leftOut(hosts.update(list.groups, sort, chosen), "more group");
    else if (filter.list === "latest") latest.update(list.loads, sort, wanted);
    else more = leftOut(times.update(list.loads, wanted), "more host");
    rows.update();
    markFound(place, filter.search);
    const isEmpty = (filter.list === "" ? list.groups : list.loads).length === 0;
    empty.element.hidden = live.changes === 0 || live.groups.size > 0 || hasFilter(filter) || Boolean(board.cleared);
    if (!empty.element.hidden) empty.update();
    nothing.element.hidden = !isEmpty || list.isWaiting || live.changes === 0 || !empty.element.hidden;
    nothing.update(filter, list.error);
    place.hidden = isEmpty;
    put(end, list.isWaiting ? "Searching..." : isEmpty ? list.note : [
      list.note, more, filter.list !== "" ? `The latest ${plural(list.loads.length, "load")}; the recording has all of them.` : "",
      filter.list === "" && !filter.search && live.ungrouped ? `${plural(live.ungrouped, "load")} in further groups; the recording has them.` : "",
    ].filter(Boolean).join(" "));
  }

  function openLoad(id, isByKey) {
    if (id !== read().load) write({ load: id }, true);
    return show(id, isByKey);
  }

  async function show(id, isByKey) {
    wanted = id;
    try {
      const answer = await get(`records/${encodeURIComponent(id)}?view=detail`);
      if (wanted !== id) return;
      record = answer.record;
      side.replaceChildren(detail(record, answer.picture, { close, open: (other) => openLoad(other, true) }));
    } catch (error) {
      if (wanted !== id) return;
      record = null;
      side.replaceChildren(h("div", { class: "gone" }, h("p", { class: "trouble", tabindex: "-1" }, error.message), h("button", { type: "button", click: close }, "Close")));
    }
    side.scrollTop = 0;
    document.body.classList.add("reading");
    if (isByKey) side.querySelector("h2, .trouble")?.focus({ preventScroll: true });
    render();
  }

  function close() {
    write({ load: "" });
    moved();
  }

  /** Shows the state in the address. */
  function moved() {
    filters.reread();
    const { load } = read();
    if (load && load !== wanted) return void show(load, narrow.matches);
    if (!load && wanted) {
      const wasIn = side.contains(document.activeElement) || document.activeElement === document.body;
      wanted = "";
      record = null;
      side.replaceChildren();
      document.body.classList.remove("reading");
      render();
      if (wasIn) rows.focus();
      return;
    }
    render();
  }

  /** Copies a line of the open load, or else of the focused row. */
  async function copyLine(name) {
    const row = rows.current;
    const id = row?.group?.last ?? row?.load?.id;
    try {
      const one = record ?? (id && (await get(`records/${encodeURIComponent(id)}`)));
      if (one) await copy(name, linesOf(one)[name]);
    } catch (error) { put(end, error.message); }
  }

  const keys = {
    "/": () => filters.focus(), c: () => filters.clear(), p: pause, x: () => (board.cleared ? showAll() : clearList()),
    u: () => copyLine("URL"), y: () => copyLine("curl"), b: () => copyLine("atsgate probe"),
    n: () => rows.next((row) => row.querySelector(".badge.blocked, .badge.wouldBlock, rect.blocked, rect.wouldBlock")),
    Escape: () => { if (wanted) close(); },
    ...Object.fromEntries(lists.map(([list, , key]) => [key, () => { write({ list, load: "", sort: "" }, true); moved(); }])),
  };
  const stop = watch(render);
  const { load } = read();
  if (load) show(load, false);
  render();
  return {
    moved,
    leave() { stop(); document.body.classList.remove("reading"); },
    key(key, target) {
      // Arrow keys within the details scroll them.
      if (side.contains(target) && (key.startsWith("Arrow") || key === "Home" || key === "End")) return false;
      if (target.matches("summary, button, a") && (key === " " || key === "Enter")) return false;
      if (Object.hasOwn(keys, key)) return keys[key](), true;
      return rows.key(key);
    },
  };
}

const leftOut = (number, words) => (number > 0 ? `${plural(number, words)}. Search to see them.` : "");

/** The app's name, as the gate derives it. */
function appOf({ userAgent, assumed }) {
  if (!userAgent) return null;
  if (userAgent.startsWith("Mozilla/")) return assumed ?? "web view";
  const product = userAgent.split("/")[0];
  try { return decodeURIComponent(product) || null; } catch { return product; }
}

/** The group key's fields, taken from a record. */
const rowOf = (record) => ({
  recording: record.recording, verdict: record.verdict, rule: record.findings[0]?.rule ?? null, os: record.client.os, app: appOf(record.client), entrance: record.client.entrance ?? "proxy", hello: record.client.hello?.reads ?? null,
  origin: record.load.url.split("/").slice(0, 3).join("/"), device: record.client.label ?? record.client.address.replace(/:\d+$/, "").replace(/^\[|\]$/g, ""),
});

// Loads as they come: groups by host and rule, and what one of them met.
import { alone, get, live, watch } from "/api.js";
import { matcher, read, write } from "/address.js";
import { badge, clock, count, h, plural, put, verdicts } from "/dom.js";
import { detail } from "/detail.js";
import { latestList } from "/latest.js";

const shownRows = 400;

export function loadsView(main) {
  const filters = filterBar(() => render());
  const table = h("div", { class: "groups", role: "list", "aria-label": "Groups of loads" });
  const latest = latestList(async (load) => {
    write({ load: load.id, group: "" });
    render();
    await showLoad(load.id, null);
  });
  const end = h("p", { class: "quiet" });
  const empty = emptyState();
  const side = h("aside", { class: "side", "aria-label": "The load" });
  main.append(h("section", { class: "list" }, filters.element, empty, table, latest.element, end), side);
  const hosts = new Map();
  let openLoad = null;

  function render() {
    const filter = read();
    const matches = matcher(filter);
    const groups = [...live.groups.values()].filter(matches);
    filters.update();
    empty.hidden = live.groups.size > 0;
    table.hidden = filter.list === "latest";
    latest.element.hidden = !table.hidden;
    if (table.hidden) {
      const loads = live.loads.filter(matches);
      latest.update(loads, filter.load);
      put(end, live.groups.size ? `The latest ${plural(loads.length, "load")} that the page was told of; the record has all of them.` : "");
      return;
    }
    const byHost = Map.groupBy(groups, (group) => group.host);
    const names = [...byHost.keys()].sort((one, other) => worst(byHost.get(one)) - worst(byHost.get(other)) || (one < other ? -1 : 1));
    let rows = 0;
    const kept = new Set();
    let place = table.firstChild;
    for (const name of names) {
      const members = byHost.get(name);
      if (rows + members.length > shownRows) break;
      rows += members.length;
      kept.add(name);
      let block = hosts.get(name);
      if (!block) hosts.set(name, block = hostBlock(name, choose));
      alone(() => block.update(members, filter.group));
      if (block.element !== place) table.insertBefore(block.element, place);
      else place = place.nextSibling;
    }
    for (const [name, block] of hosts) {
      if (kept.has(name)) continue;
      block.element.remove();
      hosts.delete(name);
    }
    const hidden = groups.length - rows;
    put(end, [
      live.groups.size && !groups.length ? "No load matches these filters." : "",
      hidden > 0 ? `${plural(hidden, "more group")}: filter to see them.` : "",
      live.ungrouped ? `${plural(live.ungrouped, "load")} of further groups are only in the record.` : "",
    ].filter(Boolean).join(" "));
  }

  async function choose(group) {
    write({ group: String(group.group), load: group.last });
    render();
    await showLoad(group.last, group);
  }

  async function showLoad(id, group) {
    openLoad = id;
    try {
      const { record, picture } = await get(`records/${encodeURIComponent(id)}?view=detail`);
      if (openLoad !== id) return;
      side.replaceChildren(detail(record, picture, group, { close, open: (other) => { write({ load: other }); showLoad(other, group); } }));
      side.scrollTop = 0;
      document.body.classList.add("reading");
    } catch (error) {
      side.replaceChildren(h("p", { class: "trouble" }, error.message));
    }
  }

  function close() {
    openLoad = null;
    write({ load: "", group: "" });
    side.replaceChildren(hint());
    document.body.classList.remove("reading");
    render();
  }

  side.append(hint());
  const stop = watch(render);
  const { load, group } = read();
  if (load) showLoad(load, live.groups.get(Number(group)));
  render();
  return {
    leave() { stop(); document.body.classList.remove("reading"); },
    key(key) {
      if (key === "/") return filters.focus(), true;
      if (key === "Escape") return close(), true;
      if (key === "c") return filters.clear(), true;
      if (key !== "j" && key !== "k") return false;
      const rows = [...(table.hidden ? latest.element : table).querySelectorAll("button.row")];
      const place = rows.indexOf(document.activeElement);
      rows.at(place < 0 ? 0 : Math.min(Math.max(place + (key === "j" ? 1 : -1), 0), rows.length - 1))?.focus();
      return true;
    },
  };
}

const order = Object.fromEntries(verdicts.map(([verdict], index) => [verdict, index]));
const worst = (groups) => Math.min(...groups.map((group) => order[group.verdict] ?? 9));

/** A host with a row for each way its loads ended. */
function hostBlock(name, choose) {
  const total = h("span", { class: "quiet" });
  const list = h("div", {});
  const element = h("section", { class: "host", role: "listitem" }, h("h2", {}, h("span", { class: "name" }, name), total), list);
  const rows = new Map();
  return {
    element,
    update(groups, chosen) {
      put(total, plural(groups.reduce((sum, group) => sum + group.loads, 0), "load"));
      groups.sort((one, other) => order[one.verdict] - order[other.verdict] || one.group - other.group);
      const kept = new Set();
      groups.forEach((group, index) => {
        kept.add(group.group);
        let row = rows.get(group.group);
        if (!row) rows.set(group.group, row = groupRow(choose));
        alone(() => row.update(group, String(group.group) === chosen));
        if (list.children[index] !== row.element) list.insertBefore(row.element, list.children[index] ?? null);
      });
      for (const [number, row] of rows) {
        if (kept.has(number)) continue;
        row.element.remove();
        rows.delete(number);
      }
    },
  };
}

function groupRow(choose) {
  let group = null;
  const [title, rule, codes, device, loads, time] = ["title", "rule", "codes", "device", "loads", "time"]
    .map((name) => h("span", { class: name }));
  const mark = h("span", { class: "mark" });
  const element = h("button", { class: "row", type: "button", click: () => choose(group) },
    mark, h("span", { class: "what" }, title, rule), codes, device, loads, time);
  return {
    element,
    update(next, isChosen) {
      if (group?.verdict !== next.verdict) mark.replaceChildren(badge(next.verdict));
      group = next;
      put(title, next.title ?? (next.verdict === "allowed" ? "Passes" : "Not governed by ATS"));
      // Not by URL, which throws for names that clients do ask for: of x.123 it makes an address.
      put(rule, next.rule ?? next.origin.split(":")[0]);
      put(codes, next.apple ?? "");
      put(device, `${next.device}, ${next.os}`);
      put(loads, count(next.loads));
      put(time, clock(next.time));
      element.setAttribute("aria-pressed", String(isChosen));
    },
  };
}

/** Filters as in `atsgate report`, each a part of the address. */
function filterBar(onChange) {
  const change = (values) => { write(values); onChange(); };
  const host = h("input", { type: "search", placeholder: "Host, as in *.example.com", "aria-label": "Host", input: () => change({ host: host.value }) });
  const chips = verdicts.map(([verdict, words]) => h("button", { class: `chip ${verdict}`, type: "button", "aria-pressed": "false", click: () => {
    const chosen = new Set(read().verdict.split(",").filter(Boolean));
    if (!chosen.delete(verdict)) chosen.add(verdict);
    change({ verdict: [...chosen].join(",") });
  } }, h("b", {}, "0"), ` ${words}`));
  const selects = ["rule", "device", "recording"].map((name) => {
    const select = h("select", { "aria-label": name, change: () => change({ [name]: select.value }) });
    return [name, select];
  });
  const kinds = [["", "By host"], ["latest", "Latest"]].map(([value, title]) => {
    const button = h("button", { class: "chip", type: "button", click: () => change({ list: value, group: "", load: "" }) }, title);
    return [value, button];
  });
  const clearButton = h("button", { class: "small", type: "button", click: () => clear() }, "Clear");
  const element = h("div", { class: "filters" }, h("div", { class: "chips", role: "group", "aria-label": "Verdicts and list" }, chips, h("span", { class: "gap" }), kinds.map(([, button]) => button)),
    h("div", { class: "fields" }, host, selects.map(([, select]) => select), clearButton));
  host.value = read().host;
  function clear() {
    host.value = "";
    change({ host: "", verdict: "", rule: "", device: "", recording: "" });
  }
  return {
    element, clear,
    focus: () => host.focus(),
    update() {
      const filter = read();
      const chosen = filter.verdict.split(",");
      verdicts.forEach(([verdict], index) => {
        put(chips[index].firstChild, count(live.totals[verdict] ?? 0));
        chips[index].setAttribute("aria-pressed", String(chosen.includes(verdict)));
      });
      for (const [value, button] of kinds) button.setAttribute("aria-pressed", String(filter.list === value));
      for (const [name, select] of selects) {
        const values = [...new Set([...live.groups.values()].map((group) => group[name]).filter(Boolean))].sort();
        if (filter[name] && !values.includes(filter[name])) values.push(filter[name]);
        const texts = ["", ...values];
        if (texts.join("\n") !== [...select.options].map((option) => option.value).join("\n")) {
          select.replaceChildren(...texts.map((value) => h("option", { value }, value || `every ${name}`)));
        }
        if (select.value !== filter[name]) select.value = filter[name];
        select.hidden = values.length < 2 && !filter[name];
      }
      clearButton.hidden = !(filter.host || filter.verdict || filter.rule || filter.device || filter.recording);
    },
  };
}

function hint() {
  return h("div", { class: "hint" }, h("p", {}, "Choose a row to see what its latest load met: the handshake, every finding, and how to fix it."),
    h("p", { class: "quiet" }, "Keys: ", h("kbd", {}, "?")));
}

function emptyState() {
  const place = h("code", {}, "");
  const element = h("div", { class: "empty" }, h("h2", {}, "No load yet"),
    h("p", {}, "Point a simulator, a device or a command at the gate; what it loads shows up here."), h("pre", {}, place));
  watch(() => put(place, live.state ? `curl -x ${live.state.proxies[0] ?? ""} http://example.com/` : ""));
  return element;
}

// Which devices there are: how far each has come, and how its loads ended.
import { get, live, watch } from "/api.js";
import { write } from "/address.js";
import { clock, count, day, h, put, verdicts } from "/dom.js";
import { qr } from "/picture.js";
import { keyed } from "/roving.js";

const lookMilliseconds = 2_000;

export function devicesView(main, { show }) {
  const lights = h("div", {});
  const loads = h("div", {});
  const ways = h("div", { hidden: true });
  tunnels(ways);
  main.append(h("section", { class: "wide" }, h("h2", {}, "Devices"), lights, loads, ways));
  const filter = (name) => h("button", { class: "link", type: "button", click: () => { write({ device: name, load: "" }); show("loads"); } }, name);
  const stopLooking = look(lights, filter);
  const tallied = keyedTable("", loadHeads, () => loadRow(filter));
  const title = h("h3", {}, "Their loads");
  loads.append(title, tallied.element);
  const stopWatching = watch(() => {
    const rows = tallies();
    loads.hidden = rows.size === 0;
    tallied.update(rows);
  });
  return { leave: () => { stopLooking(); stopWatching(); } };
}

/** Lights come on without a load: they are asked for, as the device's own page does. */
function look(place, filter) {
  const table = keyedTable("lights", ["device", "address", "system", "set up", "seen"].map((name) => [name]), () => deviceRow(filter));
  const nobody = h("p", { class: "quiet" });
  const notes = h("ul", { class: "quiet" });
  place.append(nobody, table.element, notes);
  place.hidden = true;
  const once = async () => {
    try {
      const { devices, notes: said } = await get("devices");
      notes.hidden = said.length === 0;
      if (notes.childElementCount !== said.length || [...notes.children].some((note, index) => note.textContent !== said[index])) {
        notes.replaceChildren(...said.map((note) => h("li", {}, note)));
      }
      place.hidden = false;
      nobody.hidden = devices.length > 0;
      table.element.hidden = devices.length === 0;
      put(nobody, invitation());
      table.update(new Map(devices.map((device) => [device.address, device])));
    } catch {
      // The gate is gone: the page's head says so.
    }
  };
  once();
  const timer = setInterval(once, lookMilliseconds);
  return () => clearInterval(timer);
}

const invitation = () => live.state?.phones.length
  ? `No device was seen yet. Open ${live.state.phones[0]} in its browser: the page there tells what to set up.`
  : "No device was seen yet, and none can come in: the gate listens for this machine only. Start it with --listen 0.0.0.0:9802 --allow-lan.";

/** How devices come in by WireGuard, where they do. A code is asked for when somebody wants to see it: a key is in it. */
async function tunnels(place) {
  try {
    const { tunnels: found } = await get("tunnels");
    place.hidden = found.length === 0;
    place.append(h("h3", {}, "Tunnels"), h("p", { class: "quiet" }, "What a device's WireGuard app reads, its private key in it: for that device alone."),
      ...found.map(({ peer, isReadable }) => isReadable ? tunnel(peer)
        : h("p", {}, `${peer}: its key is another user's. `, h("code", {}, `sudo atsgate setup wireguard --show ${peer}`))));
  } catch {
    // The gate is gone: the page's head says so.
  }
}

function tunnel(peer) {
  const code = h("div", { class: "phones" });
  const details = h("details", { toggle: async () => {
    if (!details.open) return void code.replaceChildren();
    try {
      code.replaceChildren(qr(`the configuration of ${peer}`, await get(`tunnels/${encodeURIComponent(peer)}/code`)));
    } catch (error) { code.replaceChildren(h("p", { class: "trouble" }, error.message)); }
  } }, h("summary", {}, `Show the code of ${peer}`), code,
  h("p", {}, h("a", { href: `/api/v1/tunnels/${encodeURIComponent(peer)}`, download: `${peer}.conf` }, `${peer}.conf`)));
  return details;
}

/** A table with a row for each key, changed in place. */
function keyedTable(name, heads, make) {
  const body = h("tbody", {});
  const element = h("table", { class: name || null }, h("thead", {}, h("tr", {}, heads.map(([text, kind]) => h("th", { scope: "col", class: kind }, text)))), body);
  return { element, update: keyed(body, make).update };
}

/** A button that shows the loads of what it names. */
function nameButton(filter) {
  const button = h("button", { class: "link", type: "button", click: () => filter(button.textContent) });
  return button;
}

function deviceRow(filter) {
  const name = nameButton(filter);
  const [address, system, far, seen] = [0, 0, 0, 0].map(() => h("td", {}));
  let shown = "";
  return {
    element: h("tr", {}, h("th", { scope: "row" }, name), address, system, far, seen),
    update(device) {
      put(name, device.label ?? device.address);
      put(address, device.address);
      put(system, [device.system, device.says && `says ${device.says}`, device.os && `judged as ${device.os}${device.says ? " (--os auto: as it says)" : ""}`].filter(Boolean).join(", "));
      put(seen, clock(device.last));
      const text = JSON.stringify([device.lights, device.fetched, device.refused]);
      if (shown !== text) far.replaceChildren(dots(device), stage(device));
      shown = text;
    },
  };
}

function dots({ lights, fetched }) {
  const state = ({ light, seen }) => seen !== null ? "on" : light === "installed" && fetched !== null ? "half" : "off";
  return h("span", { class: "dots" }, lights.map((one) => h("span", { role: "img", class: `dot ${state(one)}`, "data-light": one.light,
    "aria-label": `${one.title}: ${one.seen === null ? "not seen" : "yes"}`,
    title: `${one.title}${one.seen === null ? ", not seen yet" : `, seen ${day(one.seen)}`}. ${one.meaning}` })));
}

/** The last light that is on, and what stands between it and the next. */
function stage({ lights, fetched, refused }) {
  const on = lights.filter((one) => one.seen !== null);
  const trusted = on.find((one) => one.light === "trusted")?.seen ?? null;
  const trouble = refused !== null && (trusted === null || refused > trusted);
  const words = trusted !== null && trouble ? "fully trusted, but one of its apps refused the certificate: it pins, or the certificate was removed"
    : trusted !== null ? "fully trusted"
    : trouble ? "it refuses the certificate: not installed, or not trusted"
    : fetched !== null ? "certificate fetched, not yet trusted" : on.at(-1)?.title.toLowerCase() ?? "";
  return h("span", { class: trouble ? "stage trouble" : "stage" }, words);
}

/** By label or address, and system. */
function tallies() {
  const devices = new Map();
  for (const group of live.groups.values()) {
    const key = `${group.device}\n${group.os}`;
    const device = devices.get(key) ?? { name: group.device, os: group.os, loads: 0, last: 0, counts: {} };
    device.loads += group.loads;
    device.last = Math.max(device.last, group.time);
    device.counts[group.verdict] = (device.counts[group.verdict] ?? 0) + group.loads;
    devices.set(key, device);
  }
  return devices;
}

const loadHeads = [["device"], ["system"], ["loads", "number"], ["last"], ...verdicts.map(([, words]) => [words, "number"])];

function loadRow(filter) {
  const name = nameButton(filter);
  const [system, last] = [0, 0].map(() => h("td", {}));
  const loads = h("td", { class: "number" });
  const counts = verdicts.map(() => h("td", {}));
  return {
    element: h("tr", {}, h("th", { scope: "row" }, name), system, loads, last, counts),
    update(device) {
      put(name, device.name);
      put(system, device.os);
      put(loads, count(device.loads));
      put(last, clock(device.last));
      verdicts.forEach(([verdict], index) => {
        const number = device.counts[verdict] ?? 0;
        counts[index].className = `number ${number ? verdict : "none"}`;
        put(counts[index], count(number));
      });
    },
  };
}

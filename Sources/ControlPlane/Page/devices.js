// The devices: their progress in the setup, and the outcomes of their loads.
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
  const title = h("h3", {}, "Loads by device");
  loads.append(title, tallied.element);
  const stopWatching = watch(() => {
    const rows = tallies();
    loads.hidden = rows.size === 0;
    tallied.update(rows);
  });
  return { leave: () => { stopLooking(); stopWatching(); } };
}

/** Polls the devices, because setup steps happen without any load. */
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
      // The gate does not answer; the page's head shows that.
    }
  };
  once();
  const timer = setInterval(once, lookMilliseconds);
  return () => clearInterval(timer);
}

const invitation = () => live.state?.phones.length
  ? `No devices yet. Open ${live.state.phones[0]} in a device's browser; the page there explains the setup.`
  : "No devices yet: the gate accepts connections from this machine only. To accept devices, add --listen 0.0.0.0:9802 --allow-lan to its command.";

/** Lists the WireGuard tunnels. A code is only fetched when it is opened, because it contains a private key. */
async function tunnels(place) {
  try {
    const { tunnels: found } = await get("tunnels");
    place.hidden = found.length === 0;
    place.append(h("h3", {}, "Tunnels"), h("p", { class: "quiet" }, "The configuration for a device's WireGuard app. It contains a private key: use it on that device only."),
      ...found.map(({ peer, isReadable }) => isReadable ? tunnel(peer)
        : h("p", {}, `${peer}: its key belongs to another user. Run: `, h("code", {}, `sudo atsgate setup wireguard --show ${peer}`))));
  } catch {
    // The gate does not answer; the page's head shows that.
  }
}

function tunnel(peer) {
  const code = h("div", { class: "phones" });
  const details = h("details", { toggle: async () => {
    if (!details.open) return void code.replaceChildren();
    try {
      code.replaceChildren(qr(`the configuration of ${peer}`, await get(`tunnels/${encodeURIComponent(peer)}/code`)));
    } catch (error) { code.replaceChildren(h("p", { class: "trouble" }, error.message)); }
  } }, h("summary", {}, `Show the QR code of ${peer}`), code,
  h("p", {}, h("a", { href: `/api/v1/tunnels/${encodeURIComponent(peer)}`, download: `${peer}.conf` }, `${peer}.conf`)));
  return details;
}

/** A table with a row for each key, updated in place. */
function keyedTable(name, heads, make) {
  const body = h("tbody", {});
  const element = h("table", { class: name || null }, h("thead", {}, h("tr", {}, heads.map(([text, kind]) => h("th", { scope: "col", class: kind }, text)))), body);
  return { element, update: keyed(body, make).update };
}

/** A button that shows the loads of the device that it names. */
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
      put(system, [device.system, device.says && `reports ${device.says}`, device.os && `judged as ${device.os}${device.says ? " (to use its own release: --os auto)" : ""}`].filter(Boolean).join(", "));
      put(seen, clock(device.last));
      const text = JSON.stringify([device.lights, device.fetched, device.refused, device.build, device.onlyChecks]);
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

/** The last completed setup step, or the problem that blocks the next one. */
function stage({ lights, fetched, refused, build, onlyChecks }) {
  const on = lights.filter((one) => one.seen !== null && !["relaxed", "apps"].includes(one.light));
  const trusted = on.find((one) => one.light === "trusted")?.seen ?? null;
  const trouble = refused !== null && (trusted === null || refused > trusted);
  const words = trusted !== null && trouble ? "fully trusted, but an app rejected the certificate: the app pins certificates, or the certificate was removed"
    : trusted !== null ? "fully trusted"
    : trouble ? "the device rejects the certificate: it is not installed or not trusted"
    : fetched !== null ? "certificate fetched, not yet trusted" : on.at(-1)?.title.toLowerCase() ?? "";
  const own = build === "in-force" ? "; ATS is on in the installed app: it refuses loads before the gate is asked"
    : onlyChecks ? "; only checks of the connection arrive: turn off VPN, iCloud Private Relay and content filters on the device" : "";
  return h("span", { class: trouble || own ? "stage trouble" : "stage" }, words + own);
}

/** The live loads by device and release. */
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

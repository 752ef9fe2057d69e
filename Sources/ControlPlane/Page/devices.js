// Which devices there are: how far each has come, and how its loads ended.
import { get, live, watch } from "/api.js";
import { write } from "/address.js";
import { clock, count, day, h, verdicts } from "/dom.js";

const lookMilliseconds = 2_000;

export function devicesView(main, { show }) {
  const lights = h("div", {});
  const loads = h("div", {});
  main.append(h("section", { class: "wide" }, h("h2", {}, "Devices"), lights, loads));
  const filter = (name) => h("button", { class: "link", type: "button", click: () => { write({ device: name }); show("loads"); } }, name);
  const stopLooking = look(lights, filter);
  const stopWatching = watch(() => shown(loads, [...tallies().values()], (rows) => rows.length ? [h("h3", {}, "Their loads"), loadTable(rows, filter)] : []));
  return { leave: () => { stopLooking(); stopWatching(); } };
}

/** Lights come on without a load: they are asked for, as the device's own page does. */
function look(place, filter) {
  const once = async () => {
    try {
      const { devices } = await get("devices");
      shown(place, devices, (rows) => rows.length ? [lightTable(rows, filter)] : [nobody()]);
    } catch {
      // The gate is gone: the page's head says so.
    }
  };
  once();
  const timer = setInterval(once, lookMilliseconds);
  return () => clearInterval(timer);
}

/** Fills `place` anew where `rows` differ from what it shows: what stays keeps its focus. */
function shown(place, rows, make) {
  const text = JSON.stringify(rows);
  if (place.shows === text) return;
  place.shows = text;
  place.replaceChildren(...make(rows));
}

const nobody = () => h("p", { class: "quiet" }, "No device was seen yet. Open ", h("code", {}, live.state?.proxies[0] ?? "the gate's address"),
  " in its browser: the page there tells what to set up.");

const heads = (...names) => h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, name))));

function lightTable(devices, filter) {
  return h("table", { class: "lights" }, heads("device", "address", "system", "how far it is", "seen"),
    h("tbody", {}, devices.map((device) => h("tr", {},
      h("th", { scope: "row" }, filter(device.label ?? device.address)), h("td", {}, device.address),
      h("td", {}, [device.system, device.os && `judged as ${device.os}`].filter(Boolean).join(", ")),
      h("td", {}, dots(device), stage(device)), h("td", {}, clock(device.last))))));
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

function loadTable(devices, filter) {
  return h("table", {}, h("thead", {}, h("tr", {}, ["device", "system", "loads", "last", ...verdicts.map(([, words]) => words)].map((text, index) => h("th", { scope: "col", class: index === 2 || index > 3 ? "number" : null }, text)))),
    h("tbody", {}, devices.map((device) => h("tr", {}, h("th", { scope: "row" }, filter(device.name)),
      h("td", {}, device.os), h("td", { class: "number" }, count(device.loads)), h("td", {}, clock(device.last)),
      verdicts.map(([verdict]) => h("td", { class: `number ${device.counts[verdict] ? verdict : "none"}` }, count(device.counts[verdict] ?? 0)))))));
}

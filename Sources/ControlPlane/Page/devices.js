// Who loads: each label or address with its systems and how its loads ended.
import { live, watch } from "/api.js";
import { write } from "/address.js";
import { clock, count, h, verdicts } from "/dom.js";

export function devicesView(main, { show }) {
  const list = h("div", {});
  main.append(h("section", { class: "wide" }, h("h2", {}, "Devices"), list));
  let known = "";
  const stop = watch(() => {
    const devices = new Map();
    for (const group of live.groups.values()) {
      const key = `${group.device}\n${group.os}`;
      const device = devices.get(key) ?? { name: group.device, os: group.os, loads: 0, last: 0, counts: {} };
      device.loads += group.loads;
      device.last = Math.max(device.last, group.time);
      device.counts[group.verdict] = (device.counts[group.verdict] ?? 0) + group.loads;
      devices.set(key, device);
    }
    const text = JSON.stringify([...devices.values()]);
    if (text === known) return;
    known = text;
    list.replaceChildren(devices.size ? table([...devices.values()], show)
      : h("p", { class: "quiet" }, "No device has loaded anything yet. Its proxy is ", h("code", {}, live.state?.proxies.join(", ") ?? ""), "."));
  });
  return { leave: stop };
}

function table(devices, show) {
  return h("table", {}, h("thead", {}, h("tr", {}, ["device", "system", "loads", "last", ...verdicts.map(([, words]) => words)].map((text, index) => h("th", { scope: "col", class: index === 2 || index > 3 ? "number" : null }, text)))),
    h("tbody", {}, devices.map((device) => h("tr", {},
      h("th", { scope: "row" }, h("button", { class: "link", type: "button", click: () => { write({ device: device.name }); show("loads"); } }, device.name)),
      h("td", {}, device.os), h("td", { class: "number" }, count(device.loads)), h("td", {}, clock(device.last)),
      verdicts.map(([verdict]) => h("td", { class: `number ${device.counts[verdict] ? verdict : "none"}` }, count(device.counts[verdict] ?? 0)))))));
}

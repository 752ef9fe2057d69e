// Before the first load: four ways to bring one, each ready to copy. And what to do where nothing meets the filters.
import { get, live } from "/api.js";
import { filterNames } from "/address.js";
import { copyButton, h, put } from "/dom.js";
import { qr } from "/picture.js";

const line = (text) => h("div", { class: "copyable" }, h("pre", {}, text), copyButton(() => text));
const proxy = () => live.state?.proxies[0] ?? "http://127.0.0.1:9802";
const port = () => new URL(proxy()).port || "9802";

const ways = [
  ["simulator", "Simulator", () => [
    h("p", {}, "In a second terminal, with the simulator running. It puts the certificate into the simulator and makes the gate the Mac's proxy; the second line takes both back."),
    line("atsgate setup simulator booted"), line("atsgate setup simulator booted --undo"),
    h("p", { class: "quiet" }, "Then start the app in the simulator: its loads show up here.")]],
  ["phone", "Phone", phone],
  ["command", "Command", () => live.state?.proxies.length === 0 ? [
    h("p", {}, "This gate takes connections that are led to it, and is no proxy: whatever its listeners are set up for shows up here. For commands, start it with a proxy besides:"),
    line("atsgate proxy --listen 127.0.0.1:9802 --listen transparent://…")] : [
    h("p", {}, "Any command that reads proxy variables, with a gate of its own and a verdict at its end:"), line("atsgate run -- make test"),
    h("p", {}, "Or one load through this gate:"), line(`curl -O ${proxy()}/atsgate-ca.pem`), line(`curl --cacert atsgate-ca.pem -x ${proxy()} https://example.com/`)]],
  ["nothing", "Nothing arrives?", () => [
    h("p", {}, "The gate looks at route, trust and certificate in turn, and says which is missing and what to do:"), line("atsgate doctor"),
    h("ul", { class: "plain" },
      h("li", {}, "A device shows up under Devices as soon as it reaches the gate, with a light for each step that is done."),
      h("li", {}, "An app that opens sockets of its own, or HTTP/3, goes past every proxy."),
      h("li", {}, "An app that pins certificates refuses the gate's; the load is listed as failed."))]],
];

async function phone() {
  const { phones } = await get("phones");
  if (!phones.length) {
    return [h("p", {}, "This gate listens for its own machine only. Start it so that phones of your network can reach it:"),
      line(`atsgate proxy --listen 0.0.0.0:${port()} --allow-lan`),
      h("p", { class: "quiet" }, "It prints an address and a QR code. --allow-lan lets everybody in the network use the gate: choose one that you trust.")];
  }
  return [h("p", {}, "Point the phone's camera at the code, or open the address in its browser. The page there says what to tap, and has a light for each step."),
    h("div", { class: "phones" }, phones.map(({ url, code }) => h("div", {}, code && qr(url, code), line(url))))];
}

/** Tabs by the WAI-ARIA pattern: arrows move between them, and there is one tab stop. */
export function emptyState() {
  const panel = h("div", { role: "tabpanel", id: "way", tabindex: "0" });
  const tabs = ways.map(([name, title], index) => h("button", { type: "button", role: "tab", id: `way-${name}`, "aria-controls": "way", class: "chip",
    click: () => choose(index), keydown: (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.stopPropagation();
      tabs.at((index + step) % tabs.length).focus();
      choose((index + step + tabs.length) % tabs.length);
    } }, title));
  const element = h("div", { class: "empty" }, h("h2", {}, "No load yet"),
    h("p", {}, "Point a simulator, a phone or a command at the gate; what it loads is listed here while it happens."),
    h("div", { role: "tablist", "aria-label": "Ways to bring a load here", class: "chips" }, tabs), panel,
    h("p", { class: "quiet" }, "Bodies and header values are never recorded, only what App Transport Security judges. To see them, chain another proxy behind the gate: ",
      h("code", {}, "atsgate proxy --parent http://HOST:PORT"), "."));
  let chosen = -1;
  async function choose(index) {
    chosen = index;
    const [name, , make] = ways[index];
    tabs.forEach((tab, place) => {
      tab.setAttribute("aria-selected", String(place === index));
      tab.tabIndex = place === index ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", `way-${name}`);
    try {
      const parts = await make();
      if (chosen === index) panel.replaceChildren(...parts);
    } catch (error) { panel.replaceChildren(h("p", { class: "trouble" }, error.message)); }
  }
  return { element, update() { if (chosen < 0 && live.state) choose(0); } };
}

const words = { search: "words", verdict: "verdict", rule: "rule", device: "device", entrance: "came in by", recording: "recording" };

/** Says what was searched. */
export function nothingFound(clear) {
  const text = h("p", {});
  const sought = h("p", { class: "quiet" });
  const button = h("button", { type: "button", click: clear }, "Clear filters");
  return {
    element: h("div", { class: "empty" }, h("h2", {}, "No load found"), text, sought, button),
    update(filter, error) {
      const given = filterNames.filter((name) => filter[name]);
      button.hidden = given.length === 0;
      put(text, error || (given.length ? given.map((name) => `${words[name]} ${filter[name]}`).join("; ") : "The list was cleared, and nothing came since."));
      put(sought, filter.search ? "Looked for in host, path, method, status, rule, codes (as -9858), device, system and User-Agent. Each word has to be found; a word with * stands for a whole field, as *.example.com." : "");
      sought.hidden = !filter.search;
    },
  };
}

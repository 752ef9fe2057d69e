// The page before the first load: four ways to send one, with commands to copy. Also the page for a filter without
// matches.
import { get, live } from "/api.js";
import { filterNames } from "/address.js";
import { copyButton, h, put } from "/dom.js";
import { qr } from "/picture.js";

const line = (text) => h("div", { class: "copyable" }, h("pre", {}, text), copyButton(() => text));
const proxy = () => live.state?.proxies[0] ?? "http://127.0.0.1:9802";
const port = () => new URL(proxy()).port || "9802";

const ways = [
  ["simulator", "Simulator", () => [
    h("p", {}, "With the simulator running, in a second terminal. The first command installs the certificate in the simulator and makes the gate the Mac's proxy; the second one undoes both."),
    line("atsgate setup simulator booted"), line("atsgate setup simulator booted --undo"),
    h("p", { class: "quiet" }, "Then start the app in the simulator. Its loads appear here.")]],
  ["phone", "Phone", phone],
  ["command", "Command", () => live.state?.proxies.length === 0 ? [
    h("p", {}, "This gate has no proxy listener: it only serves connections that are redirected to it. To use it with commands, add a proxy listener:"),
    line(`${live.state.command} --listen 127.0.0.1:9802 --listen transparent://…`)] : [
    h("p", {}, "Run any command that reads the proxy variables, with its own gate and a verdict at the end:"), line("atsgate run -- make test"),
    h("p", {}, "Or send one request through this gate:"), line(`curl -O ${proxy()}/atsgate-ca.pem`), line(`curl --cacert atsgate-ca.pem -x ${proxy()} https://example.com/`)]],
  ["nothing", "Nothing arrives?", () => [
    h("p", {}, "This command checks route, trust and certificate, and prints what is missing and how to fix it:"), line("atsgate doctor"),
    h("ul", { class: "plain" },
      h("li", {}, "A device appears under Devices once it reaches the gate, with a light for each completed step."),
      h("li", {}, "An app that opens its own sockets, or uses HTTP/3, bypasses every proxy."),
      h("li", {}, "An app that pins certificates rejects the gate's; its loads are listed as failed."))]],
];

async function phone() {
  const { phones } = await get("phones");
  if (!phones.length) {
    return [h("p", {}, "This gate accepts connections from its own machine only. To accept phones on your network, start it like this:"),
      line(`${live.state?.command ?? "atsgate proxy"} --listen 0.0.0.0:${port()} --allow-lan`),
      h("p", { class: "quiet" }, "It prints an address and a QR code. --allow-lan lets everyone on the network use the gate, so use it only on a network that you trust.")];
  }
  return [h("p", {}, "Point the phone's camera at the code, or open the address in its browser. The page there explains each step and shows when it is done."),
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
  const element = h("div", { class: "empty" }, h("h2", {}, "No loads yet"),
    h("p", {}, "Send the traffic of a simulator, a phone or a command through the gate. Its loads are listed here as they happen."),
    h("div", { role: "tablist", "aria-label": "Ways to send a load", class: "chips" }, tabs), panel,
    h("p", { class: "quiet" }, "Bodies and header values are never recorded. To see them, use a debugging proxy in a second session, without the gate."));
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

const words = { search: "words", verdict: "verdict", rule: "rule", app: "app", device: "device", entrance: "entrance", hello: "hello", recording: "recording" };

/** Shows the filters that match nothing. */
export function nothingFound(clear) {
  const text = h("p", {});
  const sought = h("p", { class: "quiet" });
  const button = h("button", { type: "button", click: clear }, "Clear filters");
  return {
    element: h("div", { class: "empty" }, h("h2", {}, "No loads found"), text, sought, button),
    update(filter, error) {
      const given = filterNames.filter((name) => filter[name]);
      button.hidden = given.length === 0;
      put(text, error || (given.length ? given.map((name) => `${words[name]} ${filter[name]}`).join("; ") : "The list was cleared; no loads have arrived since."));
      put(sought, filter.search ? "The search covers host, path, method, status, rule, codes (such as -9858), device, release and User-Agent. All words must match; a word with * must match a whole field, such as *.example.com." : "");
      sought.hidden = !filter.search;
    },
  };
}

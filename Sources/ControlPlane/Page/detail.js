// The details of one load: Apple's error, handshake, findings, fixes, log lines, chain.
import { get } from "/api.js";
import { copy, linesOf } from "/copies.js";
import { badge, copyButton, day, h, plural, unruled } from "/dom.js";
import { chain, facts } from "/facts.js";
import { drawn } from "/picture.js";

export function detail(record, picture, { close, open }) {
  const first = record.findings[0];
  const title = first?.title ?? unruled[record.verdict];
  return h("article", { class: "load" },
    h("header", {}, badge(record.verdict), h("h2", { tabindex: "-1" }, title),
      h("button", { class: "small close", type: "button", title: "Key Esc", click: close }, "Close")),
    h("p", { class: "url" }, h("b", {}, record.load.method), " ", record.load.url),
    why(first), fixes(record), lines(record), device(record), numbers(record), drawn(picture), explanation(picture), others(record, open), findings(record), log(record), printed(record), chain(record), facts(record));
}

/** The reason in one sentence, with the rule that decided. */
function why(finding) {
  if (!finding) return null;
  return h("p", { class: "why" }, finding.observed, "; expected: ", finding.expected, " ", h("code", {}, finding.rule));
}

/** Buttons that copy the load's URL and commands, each with its key. */
function lines(record) {
  const keys = { URL: "u", curl: "y", "atsgate probe": "b" };
  return h("p", { class: "copies", role: "group", "aria-label": "Copy" }, Object.entries(linesOf(record)).map(([name, text]) =>
    h("button", { class: "small", type: "button", title: `Key ${keys[name]}: ${text}`, click: () => copy(name, text) }, `Copy ${name}`)));
}

function explanation(picture) {
  if (!picture.marks.some(({ text }) => text === "second handshake: offers everything")) return null;
  return h("p", { class: "quiet" }, "Second handshake: the server rejected this release's offer, so the gate made a second handshake that offers all versions and cipher suites, only to find out what the server supports. The app is not affected.");
}

/** The outcome on the device itself, if a gate watched it or its log shows it. */
function device(record) {
  const seen = record.device;
  if (!seen) return null;
  return h("p", { class: "device" }, seen.outcome === "unknown" ? "The outcome on the device is unknown" : `The device ${seen.outcome === "failed" ? "failed" : seen.outcome + " it"}`,
    seen.how && [": ", h("code", {}, seen.how)], " ", h("span", { class: "tag" }, seen.confidence));
}

/** The two error codes that developers search for, with their names. */
function numbers(record) {
  const apple = record.apple;
  if (!apple) return null;
  const cell = (number, name, of) => h("div", {}, h("strong", {}, String(number)), h("span", {}, name), h("small", {}, of));
  return h("section", { class: "numbers", "aria-label": "Error on the device" },
    cell(apple.code, apple.constant, apple.domain),
    apple.streamErrorCode !== null && cell(apple.streamErrorCode, apple.streamErrorConstant ?? "", `stream error, domain ${apple.streamErrorDomain}`),
    apple.detailCode !== null && cell(apple.detailCode, "private detail", "in Apple's own lines"),
    h("p", {}, apple.message),
    h("p", { class: "quiet" }, "Device shows a different code? See ", h("code", {}, "atsgate explain device-evidence")));
}

function fixes(record) {
  const remedy = record.remedy;
  if (!remedy) return null;
  const exception = remedy.exception;
  const xml = exception && entry(exception);
  return h("section", { class: "fixes", "aria-label": "How to fix it" },
    remedy.server.length > 0 && h("div", { class: "fix" }, h("h3", {}, "On the server"), h("ul", {}, remedy.server.map((text) => h("li", {}, text))),
      copyButton(() => remedy.server.join("\n"))),
    xml && h("div", { class: "fix" }, h("h3", {}, "Or in the dictionary"), h("pre", {}, xml), copyButton(() => xml)));
}

/** An entry of NSExceptionDomains as Xcode writes it. */
function entry(exception) {
  const escaped = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const [domain, keys] = Object.entries(exception)[0] ?? [];
  if (!domain || typeof keys !== "object") return JSON.stringify(exception, null, 2);
  const lines = Object.entries(keys).map(([key, value]) => `\t<key>${escaped(key)}</key>\n\t${
    typeof value === "boolean" ? `<${value}/>` : `<string>${escaped(value)}</string>`}`);
  return `<key>${escaped(domain)}</key>\n<dict>\n${lines.join("\n")}\n</dict>`;
}

function findings(record) {
  if (!record.findings.length) return null;
  return h("section", {}, h("h3", {}, plural(record.findings.length, "finding")), record.findings.map((finding, index) =>
    h("div", { class: index === 0 ? "finding deciding" : "finding" },
      h("h4", {}, h("code", {}, finding.rule), " ", index === 0 ? "decided" : "also found"),
      h("dl", {}, h("dt", {}, "expected"), h("dd", {}, finding.expected), h("dt", {}, "observed"), h("dd", {}, finding.observed),
        finding.keyPath && [h("dt", {}, "key"), h("dd", {}, h("code", {}, finding.keyPath))],
        h("dt", {}, "source"), h("dd", {}, finding.source.replace(/docs\/([a-z/-]+)\.md(#[a-z0-9-]+)?/g, "atsgate explain $1$2"), " ", h("span", { class: "tag" }, finding.confidence))))));
}

function log(record) {
  const lines = record.apple?.log ?? [];
  if (!lines.length) return null;
  return h("section", {}, h("h3", {}, "Console output on the device ", copyButton(() => lines.join("\n"))), h("pre", { class: "log" }, lines.join("\n")));
}

/** The lines of an imported device log that belong to the load. */
function printed(record) {
  const lines = record.device?.lines ?? [];
  if (!lines.length) return null;
  return h("section", {}, h("h3", {}, "Log of the device ", copyButton(() => lines.join("\n"))), h("pre", { class: "log" }, lines.join("\n")));
}

/** Other loads of this host with the same result, the newest first; fetched when opened. */
function others(record, open) {
  const list = h("ul", { class: "others" });
  const rule = record.findings[0]?.rule;
  return h("details", { toggle: async (event) => {
    if (!event.target.open || list.children.length) return;
    const query = new URLSearchParams({ view: "row", limit: "100", host: record.load.host, verdict: record.verdict, recording: record.recording });
    if (rule) query.set("rule", rule);
    try {
      const { records } = await get(`records?${query}`);
      list.append(...records.map((row) => h("li", {}, h("button", { type: "button", "aria-pressed": String(row.id === record.id), click: () => open(row.id) },
        h("time", {}, day(row.time)), ` ${row.method} ${row.url}`))));
    } catch (error) { list.append(h("li", {}, error.message)); }
  } }, h("summary", {}, "Other loads of this host with the same result"), list);
}

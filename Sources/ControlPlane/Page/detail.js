// One load: what a device reports, the handshake, findings, fixes, lines, chain.
import { get } from "/api.js";
import { badge, copyButton, day, h, plural } from "/dom.js";
import { drawn } from "/picture.js";

export function detail(record, picture, group, { close, open }) {
  const first = record.findings[0];
  return h("article", { class: "load" },
    h("header", {}, badge(record.verdict), h("h2", {}, first?.title ?? (record.verdict === "allowed" ? "Passes" : "Not governed by ATS")),
      h("button", { class: "small close", type: "button", "aria-label": "Close", click: close }, "Close")),
    h("p", { class: "url" }, h("b", {}, record.load.method), " ", record.load.url),
    group && group.loads > 1 && others(group, record, open),
    numbers(record), drawn(picture), fixes(record), findings(record), log(record), chain(record), facts(record));
}

/** Both numbers that a developer searches for, with their names. */
function numbers(record) {
  const apple = record.apple;
  if (!apple) return null;
  const cell = (number, name, of) => h("div", {}, h("strong", {}, String(number)), h("span", {}, name), h("small", {}, of));
  return h("section", { class: "numbers", "aria-label": "What the device reports" },
    cell(apple.code, apple.constant, apple.domain),
    apple.streamErrorCode !== null && cell(apple.streamErrorCode, apple.streamErrorConstant ?? "", `stream error, domain ${apple.streamErrorDomain}`),
    apple.detailCode !== null && cell(apple.detailCode, "private detail", "in Apple's own lines"),
    h("p", {}, apple.message));
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
      h("h4", {}, h("code", {}, finding.rule), " ", index === 0 ? "decided" : "as well"),
      h("dl", {}, h("dt", {}, "expected"), h("dd", {}, finding.expected), h("dt", {}, "observed"), h("dd", {}, finding.observed),
        finding.keyPath && [h("dt", {}, "key"), h("dd", {}, h("code", {}, finding.keyPath))],
        h("dt", {}, "source"), h("dd", {}, finding.source, " ", h("span", { class: "tag" }, finding.confidence))))));
}

function log(record) {
  const lines = record.apple?.log ?? [];
  if (!lines.length) return null;
  return h("section", {}, h("h3", {}, "What the device's console prints ", copyButton(() => lines.join("\n"))), h("pre", { class: "log" }, lines.join("\n")));
}

function chain(record) {
  const certificates = record.origin?.chain ?? [];
  if (!certificates.length) return null;
  return h("section", {}, h("h3", {}, "The chain as served"), h("ol", { class: "chain" }, certificates.map((one) => h("li", {},
    h("b", {}, name(one.subject)), h("span", {}, `issued by ${name(one.issuer)}`),
    h("span", {}, `${one.keyType.toUpperCase()} ${one.keyBits} bits, ${one.signature}`),
    h("span", {}, `${one.notBefore.slice(0, 10)} to ${one.notAfter.slice(0, 10)}`),
    h("code", { class: "hash", title: "SHA-256" }, one.sha256)))));
}

const name = (subject) => /(?:^|,)CN=((?:\\.|[^,\\])+)/.exec(subject)?.[1] ?? subject;

function facts(record) {
  const { client, policy, origin, timing } = record;
  const rows = [
    ["device", [client.label, client.address].filter(Boolean).join(", ")],
    ["system", client.osEvidence ? `${client.os}, by ${client.osEvidence}` : client.os],
    ["loaded by", client.loader], ["User-Agent", client.userAgent],
    ["dictionary", [policy.source ?? "secure defaults", policy.line && `line ${policy.line}`].filter(Boolean).join(", ")],
    ["deciding key", policy.key], ["entry", policy.entry],
    ["origin", origin?.address], ["agreed on", origin?.tlsVersion && `TLS ${origin.tlsVersion}, ${origin.cipherSuite}${origin.group ? `, ${origin.group}` : ""}`],
    ["trust", origin?.trust], ["staple", origin?.staple],
    ["timestamps", origin?.scts && `${origin.scts.embedded} embedded, ${origin.scts.handshake} in the handshake, ${origin.scts.stapled} stapled`],
    ["the app saw", record.shown && Object.values(record.shown).filter((value) => value !== null).join(", ")], ["answer", record.status && `status ${record.status}`],
    ["took", timing?.total !== undefined && `${timing.total} ms`], ["via", record.via],
    ["redirected from", record.load.redirectedFrom], ["began", day(Date.parse(record.time))], ["recording", record.recording], ["id", record.id],
    ...(record.candidates ?? []).map((one) => [`under ${one.source}`, [one.verdict, one.rule].filter(Boolean).join(", ")]),
  ];
  return h("section", {}, h("h3", {}, "Facts ", copyButton(() => JSON.stringify(record, null, 2), "Copy as JSON")),
    h("dl", { class: "facts-list" }, rows.filter(([, value]) => value).map(([key, value]) => [h("dt", {}, key), h("dd", {}, value)])));
}

/** Other loads of the group, the newest first, on demand. */
function others(group, record, open) {
  const list = h("ul", { class: "others" });
  return h("details", { toggle: async (event) => {
    if (!event.target.open || list.children.length) return;
    const query = new URLSearchParams({ view: "row", limit: "100", host: group.host, verdict: group.verdict, recording: group.recording });
    if (group.rule) query.set("rule", group.rule);
    try {
      const { records } = await get(`records?${query}`);
      list.append(...records.map((row) => h("li", {}, h("button", { type: "button", "aria-pressed": String(row.id === record.id), click: () => open(row.id) },
        h("time", {}, day(row.time)), ` ${row.method} ${row.url}`))));
    } catch (error) { list.append(h("li", {}, error.message)); }
  } }, h("summary", {}, `the latest of ${plural(group.loads, "load")}`), list);
}

// The certificates of a load, and all facts of its record.
import { copyButton, count, day, h, isAnswered } from "/dom.js";
import { span } from "/sort.js";

/** Texts for the result of the chain check, by the record's value (docs/record.md, `origin.trust`). */
const trust = {
  system: ["The root is trusted by the system.", "allowed"], user: ["The root is trusted: added by the user or with --extra-ca.", "allowed"],
  "unknown-root": ["The root is not trusted.", "blocked"], "self-signed-leaf": ["The certificate is self-signed and not trusted.", "blocked"],
  incomplete: ["An intermediate certificate is missing, so the chain reaches no root.", "blocked"], broken: ["A signature in the chain is invalid.", "blocked"],
};

/** Texts for the load's entrance, by the record's value (docs/record.md, `client.entrance`). */
const cameIn = {
  null: "HTTP proxy", socks: "SOCKS5 proxy", transparent: "redirected to a transparent listener",
  wireguard: "redirected from a WireGuard tunnel", capture: "captured with all traffic of its command",
};

/** Texts for the meaning of the client's hello, by the record's value (docs/record.md, `client.hello.reads`). */
const meanings = {
  ats: "ATS in force", "ats-or-web": "ATS in force without forward secrecy, or web content", "not-in-force": "ATS not in force",
  niap: "ATS in force with a NIAP package", other: "not Apple's TLS", unknown: "an unknown list of Apple's TLS",
};

/** The hello's meaning, its client, and the comparison with the rules. */
function helloText(hello) {
  if (!hello) return null;
  const meaning = meanings[hello.reads] ?? hello.reads;
  const compared = hello.answer === "agree" ? "as the rules predict" : hello.answer && `${hello.answer}: the rules predict ${meanings[hello.law] ?? hello.law}`;
  return [meaning, hello.matches, hello.minimum && `TLS ${hello.minimum} or later`, compared, hello.certainty, hello.ja4].filter(Boolean).join(", ");
}

export function chain(record) {
  const certificates = record.origin?.chain ?? [];
  if (!certificates.length) return null;
  return h("section", {}, h("h3", {}, "Certificate chain of the server"), trustLine(record.origin.trust), h("ol", { class: "chain" }, certificates.map((one) => h("li", {},
    h("b", {}, name(one.subject)), h("span", {}, `issued by ${name(one.issuer)}`),
    h("span", {}, `${one.keyType.toUpperCase()} ${one.keyBits} bits, ${one.signature}`),
    h("span", {}, `${one.notBefore.slice(0, 10)} to ${one.notAfter.slice(0, 10)}`),
    h("code", { class: "hash", title: "SHA-256" }, one.sha256)))));
}

function trustLine(word) {
  const [text, style] = trust[word] ?? [word && `Trust: ${word}.`, "outside"];
  return text && h("p", { class: `believed ${style}` }, text);
}

const name = (subject) => /(?:^|,)CN=((?:\\.|[^,\\])+)/.exec(subject)?.[1] ?? subject;

export function facts(record) {
  const { client, policy, origin, timing, bytes } = record;
  const rows = [
    ["device", [client.label, client.address].filter(Boolean).join(", ")], ["entrance", (record.source ?? "gate") === "gate" && (cameIn[client.entrance ?? null] ?? client.entrance)],
    ["release", client.osEvidence ? `${client.os}, from ${client.osEvidence}` : client.os],
    ["loaded by", client.assumed ? `${client.loader}, assumed from ${client.assumed}` : client.loader], ["hello", helloText(client.hello)], ["method", record.load.method], ["protocol", record.load.protocol], ["User-Agent", client.userAgent],
    ["dictionary", [policy.source ?? "secure defaults", policy.line && `line ${policy.line}`].filter(Boolean).join(", ")],
    ["deciding key", policy.key], ["entry", policy.entry],
    ["server", origin?.address], ["negotiated", origin?.tlsVersion && `TLS ${origin.tlsVersion}, ${origin.cipherSuite}${origin.group ? `, ${origin.group}` : ""}`],
    ["trust", origin?.trust], ["OCSP staple", origin?.staple],
    ["SCTs", origin?.scts && `${origin.scts.embedded} embedded, ${origin.scts.handshake} in the handshake, ${origin.scts.stapled} stapled`],
    ["the app saw", record.shown && Object.values(record.shown).filter((value) => value !== null).join(", ")], [isAnswered(record.verdict) ? "status" : "status from the gate", record.status && String(record.status)],
    ["took", took(timing)], ["bytes", `${count(bytes.sent)} sent, ${count(bytes.received)} received`],
    ["via", record.via],
    ["redirected from", record.load.redirectedFrom], ["began", day(Date.parse(record.time))], ["recording", record.recording], ["id", record.id],
  ];
  return h("section", {}, h("h3", {}, "Facts ", copyButton(() => JSON.stringify(record, null, 2), "Copy as JSON")),
    h("p", { class: "quiet" }, "Bodies and header values are never recorded. To see them, use a debugging proxy in a second session, without the gate."),
    h("dl", { class: "facts-list" }, rows.filter(([, value]) => value).map(([key, value]) => [h("dt", {}, key), h("dd", {}, value)])));
}

function took(timing) {
  const parts = [["connecting", timing.connectMs], ["TLS", timing.handshakeMs], ["first byte", timing.firstByteMs]].filter(([, value]) => value !== null && value !== undefined);
  return [span(Math.round(timing.totalMs ?? 0)), parts.length && `(${parts.map(([words, value]) => `${words} ${span(Math.round(value))}`).join(", ")})`].filter(Boolean).join(" ");
}

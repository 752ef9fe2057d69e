// What there is besides about a load: the certificates, and every fact of the record.
import { copyButton, count, day, h, isAnswered } from "/dom.js";
import { span } from "/sort.js";

/** What the gate's check of the chain came to, by the record's word for it (docs/record.md, `origin.trust`). */
const trust = {
  system: ["The root is trusted by the system.", "allowed"], user: ["The root was added by a user or by --extra-ca, and is trusted.", "allowed"],
  "unknown-root": ["The root is not trusted.", "blocked"], "self-signed-leaf": ["The certificate signed itself: no root is trusted for it.", "blocked"],
  incomplete: ["An issuer is missing, so that no root is reached.", "blocked"], broken: ["A signature in the chain does not fit.", "blocked"],
};

/** How a load came in, by the record's word for it (docs/record.md, `client.entrance`). */
const cameIn = {
  null: "by the HTTP proxy", socks: "by the SOCKS5 proxy", transparent: "redirected to a transparent listener",
  wireguard: "redirected, out of a WireGuard tunnel", capture: "caught: its command's whole network leads here",
};

export function chain(record) {
  const certificates = record.origin?.chain ?? [];
  if (!certificates.length) return null;
  return h("section", {}, h("h3", {}, "The chain as served"), trustLine(record.origin.trust), h("ol", { class: "chain" }, certificates.map((one) => h("li", {},
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
    ["device", [client.label, client.address].filter(Boolean).join(", ")], ["came in", (record.source ?? "gate") === "gate" && (cameIn[client.entrance ?? null] ?? client.entrance)],
    ["system", client.osEvidence ? `${client.os}, by ${client.osEvidence}` : client.os],
    ["loaded by", client.assumed ? `${client.loader}, assumed from ${client.assumed}` : client.loader], ["method", record.load.method], ["protocol", record.load.protocol], ["User-Agent", client.userAgent],
    ["dictionary", [policy.source ?? "secure defaults", policy.line && `line ${policy.line}`].filter(Boolean).join(", ")],
    ["deciding key", policy.key], ["entry", policy.entry],
    ["origin", origin?.address], ["agreed on", origin?.tlsVersion && `TLS ${origin.tlsVersion}, ${origin.cipherSuite}${origin.group ? `, ${origin.group}` : ""}`],
    ["trust", origin?.trust], ["staple", origin?.staple],
    ["timestamps", origin?.scts && `${origin.scts.embedded} embedded, ${origin.scts.handshake} in the handshake, ${origin.scts.stapled} stapled`],
    ["the app saw", record.shown && Object.values(record.shown).filter((value) => value !== null).join(", ")], [isAnswered(record.verdict) ? "status of the answer" : "the gate answered", record.status && String(record.status)],
    ["took", took(timing)], ["bytes", `${count(bytes.sent)} sent, ${count(bytes.received)} received`],
    ["via", record.via],
    ["redirected from", record.load.redirectedFrom], ["began", day(Date.parse(record.time))], ["recording", record.recording], ["id", record.id],
    ...(record.candidates ?? []).map((one) => [`under ${one.source}`, [one.verdict, one.rule].filter(Boolean).join(", ")]),
  ];
  return h("section", {}, h("h3", {}, "Facts ", copyButton(() => JSON.stringify(record, null, 2), "Copy as JSON")),
    h("p", { class: "quiet" }, "Bodies and header values are never recorded. To see them, chain another proxy behind the gate: ", h("code", {}, "--parent http://HOST:PORT"), "."),
    h("dl", { class: "facts-list" }, rows.filter(([, value]) => value).map(([key, value]) => [h("dt", {}, key), h("dd", {}, value)])));
}

function took(timing) {
  const parts = [["connecting", timing.connectMs], ["TLS", timing.handshakeMs], ["first byte", timing.firstByteMs]].filter(([, value]) => value !== null && value !== undefined);
  return [span(Math.round(timing.totalMs ?? 0)), parts.length && `(${parts.map(([words, value]) => `${words} ${span(Math.round(value))}`).join(", ")})`].filter(Boolean).join(" ");
}

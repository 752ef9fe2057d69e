// The handshake as a picture: who said what, and where it ended.
import { h, s } from "/dom.js";

const rowHeight = 44;
// Letters keep their size: a phone gets a narrower picture, not a smaller one.
const wide = { app: 70, gate: 300, origin: 530, width: 600, letters: 38 };
const narrow = { app: 48, gate: 176, origin: 312, width: 360, letters: 21 };
let columns = wide;

export function picture(record) {
  columns = matchMedia("(max-width: 640px)").matches ? narrow : wide;
  const steps = stepsOf(record);
  const height = 58 + steps.length * rowHeight;
  const words = steps.map((step) => step.words).join("; ");
  const drawing = s("svg", { viewBox: `0 0 ${columns.width} ${height}`, role: "img", "aria-label": words, class: "picture" },
    lifeline("app", "App", record.client.label ?? "", height), lifeline("gate", "atsgate", `as ${record.client.os}`, height),
    lifeline("origin", "Origin", record.load.host, height), steps.map((step, index) => arrow(step, 66 + index * rowHeight)));
  return h("figure", {}, drawing);
}

function lifeline(name, title, below, height) {
  const x = columns[name];
  return s("g", { class: "life" }, s("line", { x1: x, x2: x, y1: 38, y2: height }),
    s("text", { x, y: 14, class: "who" }, title), s("text", { x, y: 30, class: "whom" }, short(below, columns.letters - 6)));
}

function arrow({ from, to, words, note, kind }, y) {
  const [x1, x2] = [columns[from], columns[to]];
  const middle = (x1 + x2) / 2;
  const parts = [s("text", { x: middle, y: y - 6, class: "said" }, short(words, columns.letters)),
    note && s("text", { x: middle, y: y + 14, class: "note" }, short(note, columns.letters + 3))];
  if (from !== to) {
    const tip = x2 > x1 ? -7 : 7;
    const end = kind === "stopped" ? x1 + (x2 - x1) * 0.82 : x2;
    parts.unshift(s("path", { class: "line", d: `M${x1} ${y} H${end}` }),
      kind === "stopped"
        ? s("path", { class: "line", d: `M${end - 5} ${y - 5} l10 10 m0 -10 l-10 10` })
        : s("path", { class: "line", d: `M${x2 + tip} ${y - 4} L${x2} ${y} L${x2 + tip} ${y + 4}` }));
  }
  return s("g", { class: `step ${kind ?? ""}` }, parts);
}

function stepsOf(record) {
  const { load, origin, findings, apple, timing } = record;
  const rule = findings[0]?.rule ?? "";
  const isRefused = record.verdict === "blocked";
  const isWrong = isRefused || record.verdict === "wouldBlock" || record.verdict === "failed";
  const at = isWrong ? place(rule, origin) : "";
  const bad = (name) => at === name ? "bad" : "";
  const steps = [{ from: "app", to: "gate", words: load.protocol === "tunnel" ? load.method : `${load.method} ${load.scheme}`, note: load.protocol }];
  if (at === "ruling") {
    steps.push({ from: "gate", to: "origin", words: "never sent", note: findings[0].observed, kind: isRefused ? "stopped" : "bad" });
  } else {
    if (timing?.connect !== null || origin || at === "connect") {
      steps.push({ from: "gate", to: "origin", words: "connect", note: at === "connect" ? findings[0].observed : origin?.address, kind: at === "connect" ? "stopped" : "" });
    }
    if (load.scheme === "https" && at !== "connect") {
      steps.push({ from: "gate", to: "origin", words: `ClientHello as ${record.client.os}`, kind: "" });
      if (origin?.tlsVersion) {
        steps.push({ from: "origin", to: "gate", words: `TLS ${origin.tlsVersion}, ${origin.alpn ?? "no ALPN"}`, note: origin.cipherSuite, kind: bad("hello") });
        const leaf = origin.chain[0];
        if (leaf) steps.push({ from: "origin", to: "gate", words: `certificate, ${leaf.keyType.toUpperCase()} ${leaf.keyBits}`, note: at === "certificate" ? findings[0].observed : `chain of ${origin.chain.length}`, kind: bad("certificate") });
      } else if (isWrong) {
        steps.push({ from: "origin", to: "gate", words: "no handshake", note: findings[0]?.observed, kind: "bad" });
      }
    }
  }
  if (isRefused || record.verdict === "failed") {
    const codes = apple ? [apple.code, apple.streamErrorCode].filter((code) => code !== null).join(", ") : record.status ?? "";
    steps.push({ from: "gate", to: "app", words: `${isRefused ? "refused" : "failed"}: ${codes}`, note: apple?.constant, kind: "bad" });
  } else {
    steps.push({ from: "origin", to: "app", words: record.status ? `answer, status ${record.status}` : "passed on", note: record.verdict === "wouldBlock" ? "a device would have refused it" : "", kind: record.verdict === "wouldBlock" ? "bad" : "good" });
  }
  return steps;
}

/** Which step a rule is about. */
function place(rule, origin) {
  if (rule === "ats.cleartext-load" || !origin && !rule.startsWith("net.") && !rule.startsWith("tls.")) return "ruling";
  if (rule.startsWith("net.")) return "connect";
  if (/^ats\.(tls-version|os-tls-floor|forward-secrecy|cipher-suite|niap)$/.test(rule)) return "hello";
  if (/^(trust|ats|app)\./.test(rule)) return "certificate";
  return "";
}

function short(text, limit) {
  const plain = String(text ?? "");
  return plain.length > limit ? `${plain.slice(0, limit - 1)}…` : plain;
}

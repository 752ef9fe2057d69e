// The dictionary in force, and what each of its keys did for the loads of this recording.
import { get, live, refreshState, send } from "/api.js";
import { copyButton, h, plural } from "/dom.js";

export function dictionaryView(main) {
  // What comes when the view was left goes nowhere: only this is written to.
  const place = h("section", { class: "wide" });
  main.append(place);
  load();
  async function load() {
    try {
      const policy = await get("policy");
      place.replaceChildren(
        h("h2", {}, policy.source ?? "Secure defaults"),
        h("p", { class: "quiet" }, policy.bundleID ?? (policy.source ? "" : "What an app gets that has no dictionary.")),
        ...[policy.note && h("p", { class: "quiet" }, policy.note), problems(policy.problems), policy.remarks.length > 0 && h("ul", { class: "remarks" }, policy.remarks.map((text) => h("li", {}, text))),
          policy.keys.length > 0 && uses(policy.keys)].filter(Boolean),
        h("h3", {}, "As a property list ", copyButton(() => policy.dictionary)), h("pre", { class: "source" }, policy.dictionary),
        ...[live.state?.mayReplacePolicy && replacing(policy.dictionary, load)].filter(Boolean));
    } catch (error) {
      place.replaceChildren(h("p", { class: "trouble" }, error.message));
    }
  }
  return {};
}

/** What is wrong in the dictionary, where the gate tells. */
function problems(found) {
  if (!found || !(found.errors + found.warnings)) return null;
  const words = [found.errors && plural(found.errors, "error"), found.warnings && plural(found.warnings, "warning")].filter(Boolean).join(" and ");
  return h("div", { class: "problems" }, h("p", { class: found.errors ? "trouble" : "" }, `This dictionary has ${words}.${found.command ? " Each with its line:" : ""}`),
    found.command && h("div", { class: "copyable" }, h("pre", {}, found.command), copyButton(() => found.command)));
}

function uses(keys) {
  const most = Math.max(1, ...keys.map((key) => key.served));
  return h("table", { tabindex: "0" }, h("caption", {}, "Loads that each key served, and those that would have ended in another way without it. A key about web content or media serves only such loads."),
    h("thead", {}, h("tr", {}, ["key", "served", "needed", "for"].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, keys.map((key) => h("tr", { class: key.why ? "unused" : "" },
      h("th", { scope: "row" }, h("code", {}, key.name), key.line && h("span", { class: "quiet" }, ` line ${key.line}`)),
      h("td", {}, h("meter", { min: 0, max: most, value: key.served }), ` ${key.served}`), h("td", {}, String(key.needed)),
      h("td", {}, key.why ?? [key.hosts.slice(0, 4).join(", "), key.rules.length ? ` (${key.rules.join(", ")})` : ""].join(""),
        key.undecided > 0 && h("span", { class: "quiet" }, `, ${plural(key.undecided, "load")} undecidable`))))));
}

function replacing(text, onDone) {
  const input = h("textarea", { rows: 12, spellcheck: "false", "aria-label": "Another dictionary" });
  input.value = text;
  const message = h("p", { role: "status" });
  return h("details", {}, h("summary", {}, "Enforce another one"), input,
    h("p", {}, h("button", { type: "button", click: async () => {
      try {
        await send("PUT", "policy", input.value);
        await refreshState();
        onDone();
      } catch (error) { message.textContent = error.message; }
    } }, "Enforce until the file changes")), message);
}

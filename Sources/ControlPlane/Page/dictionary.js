// The dictionary in force, and the use of its keys by the loads of this recording.
import { get, live, refreshState, send } from "/api.js";
import { copyButton, h, plural } from "/dom.js";

export function dictionaryView(main) {
  // An answer that arrives after the view was left is written to this detached element.
  const place = h("section", { class: "wide" });
  main.append(place);
  load();
  async function load() {
    try {
      const policy = await get("policy");
      place.replaceChildren(
        h("h2", {}, policy.source ?? "Secure defaults"),
        h("p", { class: "quiet" }, policy.bundleID ?? (policy.source ? "" : "The rules for an app without a dictionary.")),
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

/** The findings of lint for the dictionary. */
function problems(found) {
  if (!found || !(found.errors + found.warnings)) return null;
  const words = [found.errors && plural(found.errors, "error"), found.warnings && plural(found.warnings, "warning")].filter(Boolean).join(" and ");
  return h("div", { class: "problems" }, h("p", { class: found.errors ? "trouble" : "" }, `This dictionary has ${words}.${found.command ? " To list them with their lines:" : ""}`),
    found.command && h("div", { class: "copyable" }, h("pre", {}, found.command), copyButton(() => found.command)));
}

function uses(keys) {
  const most = Math.max(1, ...keys.map((key) => key.served));
  return h("table", { tabindex: "0" }, h("caption", {}, "Loads to which each key applied, and loads that would have ended differently without it. A key for web content or media applies only to such loads."),
    h("thead", {}, h("tr", {}, ["key", "applied", "needed", "used for"].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, keys.map((key) => h("tr", { class: key.why ? "unused" : "" },
      h("th", { scope: "row" }, h("code", {}, key.name), key.line && h("span", { class: "quiet" }, ` line ${key.line}`)),
      h("td", {}, h("meter", { min: 0, max: most, value: key.served }), ` ${key.served}`), h("td", {}, key.needed || !key.undecided ? String(key.needed) : "unknown"),
      h("td", {}, key.why ?? [key.hosts.slice(0, 4).join(", "), key.rules.length ? ` (${key.rules.join(", ")})` : ""].join(""),
        key.undecided > 0 && h("span", { class: "quiet" }, ` (unknown for ${plural(key.undecided, "load")})`))))));
}

function replacing(text, onDone) {
  const input = h("textarea", { rows: 12, spellcheck: "false", "aria-label": "Another dictionary" });
  input.value = text;
  const message = h("p", { role: "status" });
  return h("details", {}, h("summary", {}, "Enforce another dictionary"), input,
    h("p", {}, h("button", { type: "button", click: async () => {
      try {
        await send("PUT", "policy", input.value);
        await refreshState();
        onDone();
      } catch (error) { message.textContent = error.message; }
    } }, "Enforce until the file changes")), message);
}

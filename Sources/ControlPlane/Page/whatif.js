// The outcome of the recorded loads under another release or dictionary.
import { get, live, send, watch } from "/api.js";
import { write } from "/address.js";
import { h, plural, put } from "/dom.js";

export function whatIfView(main, { show }) {
  const system = h("select", { id: "whatif-os" }, h("option", { value: "" }, "each load's own"));
  const text = h("textarea", { id: "whatif-text", rows: 18, spellcheck: "false" });
  const result = h("div", { class: "result", "aria-live": "polite" });
  const button = h("button", { class: "main", type: "button", click: ask }, "Judge the loads again");
  main.append(h("section", { class: "wide twin" }, h("div", {}, h("h2", {}, "What if"),
    h("p", {}, "Judges all loads of this recording again, under the dictionary and the release that you choose, from the recorded facts of their servers. Nothing is enforced or sent."),
    h("label", { for: "whatif-os" }, "Release"), system, h("label", { for: "whatif-text" }, "Dictionary, as a property list or JSON"), text, h("p", {}, button)), result));
  let inForce = "";
  let inForceName = "secure defaults";
  const toLoads = (recording, search = "") => {
    write({ recording, search, verdict: "", rule: "", device: "", load: "" });
    show("loads");
  };
  get("policy").then((policy) => {
    inForce = policy.dictionary;
    inForceName = policy.source ?? inForceName;
    text.value ||= inForce;
  }, () => {});
  const stop = watch(() => {
    if (!live.state || system.options.length > 1) return;
    system.append(...live.state.systems.toReversed().map((one) => h("option", { value: one.name }, one.title)));
  });

  async function ask() {
    button.disabled = true;
    const isEmpty = !text.value.trim();
    const isPasted = text.value !== inForce;
    const law = isEmpty ? "the secure defaults" : isPasted ? "your edited dictionary" : inForceName;
    try {
      const answer = await send("POST", "what-if", { dictionary: isEmpty ? "{}" : isPasted ? text.value : undefined, os: system.value || undefined });
      result.replaceChildren(...(answer.note ? [h("p", { class: "quiet" }, answer.note)] : []), ...(isPasted && !isEmpty && answer.systems.some((each) => each.undecidable.length) ? [h("p", { class: "quiet" }, "Commands below name edited.plist: save this dictionary under that name first.")] : []), ...answer.remarks.map((remark) => h("p", { class: "trouble" }, remark)),
        ...answer.systems.map((each) => one(each, law, (search) => toLoads(answer.recording, search))), ...(answer.systems.length ? [] : [h("p", {}, "No loads to judge yet.")]));
    } catch (error) {
      result.replaceChildren(h("p", { class: "trouble" }, error.message));
    }
    button.disabled = false;
  }
  return { leave: stop };
}

const kinds = [["newlyBlocked", "newly blocked", "blocked"], ["newlyAllowed", "newly allowed", "allowed"], ["undecidable", "unknown", "wouldBlock"]];

/** @param toLoads shows the loads of one host, or all. */
function one(system, law, toLoads) {
  const title = live.state?.systems.find(({ name }) => name === system.os)?.title ?? system.os;
  const sum = (rows) => rows.reduce((total, row) => total + row.loads, 0);
  return h("section", {}, h("h3", {}, `${title} under ${law}`),
    h("p", { class: "sums" }, kinds.map(([key, words, style]) => h("span", { class: `sum ${style} ${system[key].length ? "" : "none"}` }, h("b", {}, String(sum(system[key]))), ` ${words}`)),
      h("span", { class: "sum" }, h("b", {}, String(system.same)), " unchanged"), h("button", { class: "link", type: "button", click: () => toLoads("") }, "show these loads")),
    kinds.filter(([key]) => system[key].length).map(([key, words, style]) => h("div", {}, h("h4", { class: style }, words),
      h("ul", { class: "rows" }, system[key].map((row) => h("li", {}, h("button", { class: "link name", type: "button", click: () => toLoads(row.host) }, row.host), h("code", {}, row.rule ?? ""),
        h("span", { class: "quiet" }, plural(row.loads, "load")), row.why && h("p", { class: "quiet" }, row.why, h("br"), h("code", {}, row.probe))))))));
}

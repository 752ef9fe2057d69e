// Named runs: begin one, compare two, hand one over.
import { get, live, refreshState, send } from "/api.js";
import { count, day, h, plural } from "/dom.js";

export function recordingsView(main) {
  const list = h("div", {});
  const name = h("input", { "aria-label": "Name of the new recording", placeholder: "Name, as in checkout", required: true, maxlength: 200 });
  const message = h("p", { class: "trouble", role: "status" });
  const form = h("form", { class: "line", submit: async (event) => {
    event.preventDefault();
    try {
      await send("POST", "recordings", { name: name.value });
      name.value = "";
      message.textContent = "";
      await refreshState();
      await load();
    } catch (error) { message.textContent = error.message; }
  } }, name, h("button", {}, "Start a new recording"));
  const comparison = h("div", { "aria-live": "polite" });
  main.append(h("section", { class: "wide" }, h("h2", {}, "Recordings"), form, message, list, comparison));

  async function load() {
    try {
      const { current, recordings } = await get("recordings");
      const rows = recordings.toReversed();
      list.replaceChildren(rows.length ? table(rows, current) : h("p", { class: "quiet" }, `Nothing is recorded yet; loads will be filed under ${current}.`),
        ...(rows.length > 1 ? [compare(rows)] : []));
    } catch (error) { message.textContent = error.message; }
  }

  function compare(rows) {
    const choice = (title, place) => {
      const select = h("select", { "aria-label": title }, rows.map((row) => h("option", { value: row.name }, row.name)));
      select.selectedIndex = place;
      return select;
    };
    const [before, after] = [choice("before", 1), choice("after", 0)];
    return h("div", { class: "line" }, h("span", {}, "Compare"), before, h("span", {}, "with"), after, h("button", { type: "button", click: async () => {
      const query = new URLSearchParams({ before: before.value, after: after.value });
      try { comparison.replaceChildren(difference(await get(`recordings/diff?${query}`))); } catch (error) { message.textContent = error.message; }
    } }, "Compare"));
  }
  load();
  return {};
}

function table(rows, current) {
  const formats = live.state?.formats ?? ["json"];
  return h("table", {}, h("thead", {}, h("tr", {}, ["name", "loads", "first", "last", "export"].map((text) => h("th", { scope: "col", class: text === "loads" ? "number" : null }, text)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, h("th", { scope: "row" }, row.name, row.name === current && h("span", { class: "tag" }, "now")),
      h("td", { class: "number" }, count(row.loads)), h("td", {}, day(row.first)), h("td", {}, day(row.last)),
      h("td", { class: "formats" }, formats.map((format) => h("a", { href: `/api/v1/report?${new URLSearchParams({ format, recording: row.name })}`, download: true }, format)))))));
}

function difference(diff) {
  const troubles = (list, row) => list.map((one) => `${one.verdict} by ${one.rule ?? "-"} (${one.loads})`).join(", ") || (row.inBoth ? "passes" : "not loaded");
  return h("section", {}, h("h3", {}, `${diff.before} and ${diff.after}`), h("p", { class: "quiet" }, `${plural(diff.same, "host")} with the same troubles`),
    diff.hosts.length > 0 && h("table", {}, h("thead", {}, h("tr", {}, ["host", "what", "before", "after"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, diff.hosts.map((row) => h("tr", { class: row.newlyBlocked ? "worse" : "" }, h("th", { scope: "row" }, row.host), h("td", {}, row.change),
        h("td", {}, troubles(row.before, row)), h("td", {}, troubles(row.after, row)))))));
}

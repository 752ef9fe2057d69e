// A menu of reports to download.
import { live } from "/api.js";
import { h } from "/dom.js";

/** Titles of the formats; a format without one is shown by name. */
const titles = {
  html: "web page", text: "text", markdown: "Markdown", junit: "JUnit test results", sarif: "SARIF findings", github: "GitHub annotations",
  gitlab: "GitLab code quality", har: "HAR, for network panels", csv: "CSV, a row for each group", "csv-loads": "CSV, a row for each load",
  json: "JSON, grouped", jsonl: "JSON lines, load by load",
};

/** @param sentence the first line of the menu.
 *  @param query returns the filter of the report as search parameters.
 *  @param tab the tabindex of the menu's button.
 *  @param name the accessible name of the button, if several menus have the same title. */
export function downloads(title, sentence, query, tab = "0", name = null) {
  const redact = h("input", { type: "checkbox", change: fill });
  const list = h("ul", {});
  function fill() {
    list.replaceChildren(...(live.state?.formats ?? []).map((format) => {
      const parameters = query();
      parameters.set("format", format);
      if (redact.checked) parameters.set("redact", "true");
      return h("li", {}, h("a", { href: `/api/v1/report?${parameters}`, download: true }, titles[format] ?? format));
    }));
  }
  const summary = h("summary", { tabindex: tab, "aria-label": name }, title);
  const menu = h("details", { class: "menu", toggle: () => { if (menu.open) fill(); }, keydown: (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation();
    menu.open = false;
    summary.focus();
  }, focusout: (event) => { if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false; } },
  summary, h("div", {}, h("p", { class: "quiet" }, sentence),
    h("p", {}, h("label", {}, redact, " Redact names of hosts, paths, devices and files")), list));
  return menu;
}

// Elements are created one by one and text is only ever text, so recorded data can never become markup.

/** An element with attributes (functions are listeners) and children (text, elements, or nothing). */
export function h(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for SVG. */
export function s(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Sets text only if it differs, so that unchanged elements keep their focus and selection. */
export function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const two = (number) => String(number).padStart(2, "0");
const date = (time) => `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
const minute = (time) => `${two(time.getHours())}:${two(time.getMinutes())}`;
/** Times in this browser's zone, in the same form for every language: `2026-11-28 16:05:07`. */
export const clock = (milliseconds) => `${minute(new Date(milliseconds))}:${two(new Date(milliseconds).getSeconds())}`;
export const day = (milliseconds) => `${date(new Date(milliseconds))} ${clock(milliseconds)}`;
const short = (milliseconds, hasDay) => (hasDay ? `${date(new Date(milliseconds))} ` : "") + minute(new Date(milliseconds));
/** A short form of a time span. */
export function moment(first, last) {
  const isSameDay = new Date(first).toDateString() === new Date(last).toDateString();
  const [begin, end] = [short(first, true), short(last, !isSameDay)];
  return begin.endsWith(end) ? begin : `${begin} to ${end}`;
}
export const count = (number) => number.toLocaleString("en").replaceAll(",", "\u202f");
export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/** The verdicts with their texts, the worst first. */
export const verdicts = [
  ["blocked", "blocked"], ["wouldBlock", "would block"], ["failed", "failed"], ["allowed", "allowed"], ["outside", "outside"],
];
const words = Object.fromEntries(verdicts);
/** True if the status is the server's. A load that was blocked or failed got at most an answer of the gate. */
export const isAnswered = (verdict) => verdict !== "blocked" && verdict !== "failed";
/** Titles of loads without a rule. A device's log need not contain the cause. */
export const unruled = {
  allowed: "Allowed", outside: "Not covered by ATS",
  blocked: "Blocked by the device; its log names no rule", failed: "Failed on the device; its log names no rule",
};
export const badge = (verdict) => h("span", { class: `badge ${verdict}` }, words[verdict] ?? verdict);

/** A button that copies the result of `text` and confirms it. */
export function copyButton(text, label = "Copy") {
  const button = h("button", { class: "small", type: "button", click: async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select and copy";
    }
    setTimeout(() => { button.textContent = label; }, 1500);
  } }, label);
  return button;
}

/** Asks a question in a dialog. @param text the initial text if the answer is a text.
 *  @returns true or the text; false if the answer is no. */
export function ask(question, yes, no, text = null) {
  const input = text !== null && h("input", { "aria-label": question, maxlength: 200, required: true });
  if (input) input.value = text;
  const dialog = h("dialog", { "aria-label": question }, h("form", { method: "dialog" }, h("p", {}, question), input && h("p", {}, input),
    h("p", { class: "line end" }, h("button", { value: "no", formnovalidate: true, type: "button", click: () => dialog.close("no") }, no), h("button", { value: "yes", class: "main" }, yes))));
  document.body.append(dialog);
  dialog.showModal();
  input?.select?.();
  return new Promise((done) => dialog.addEventListener("close", () => {
    dialog.remove();
    done(dialog.returnValue === "yes" && (input ? input.value : true));
  }));
}

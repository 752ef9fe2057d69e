// Elements are made one by one and text is only ever text: nothing that was recorded can become markup.

/** An element with attributes (functions are listeners) and children (text, elements, or nothing). */
export function h(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same of SVG. */
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

/** Sets text where it differs: elements that stay the same keep their focus and selection. */
export function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export const clock = (milliseconds) => new Date(milliseconds).toLocaleTimeString([], { hour12: false });
export const day = (milliseconds) => new Date(milliseconds).toLocaleString([], { hour12: false });
export const count = (number) => number.toLocaleString("en").replaceAll(",", "\u202f");
export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/** Verdicts, the worst first, in words. */
export const verdicts = [
  ["blocked", "blocked"], ["wouldBlock", "would block"], ["failed", "failed"], ["allowed", "allowed"], ["outside", "outside"],
];
const words = Object.fromEntries(verdicts);
export const badge = (verdict) => h("span", { class: `badge ${verdict}` }, words[verdict] ?? verdict);

/** A button that copies what `text` gives, and says so. */
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

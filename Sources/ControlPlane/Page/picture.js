// The handshake as a picture, which the gate has drawn: its marks become elements here.
import { h, s } from "/dom.js";

/** @param picture as `GET records/ID?view=detail` has it. */
export function drawn({ width, height, label, marks }) {
  return h("figure", {}, s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "picture" },
    marks.map(({ element, attributes, text }) => s(element, attributes, text))));
}

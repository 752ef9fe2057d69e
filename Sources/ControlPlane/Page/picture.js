// The handshake as a picture, which the gate has drawn: its marks become elements here.
import { h, s } from "/dom.js";

/** A QR code. @param of what it is of, for who can not see it. */
export const qr = (of, { side, path }) => s("svg", { class: "qr", role: "img", "aria-label": `QR code of ${of}`, viewBox: `0 0 ${side} ${side}`, "shape-rendering": "crispEdges" },
  s("rect", { width: side, height: side, fill: "#fff" }), s("path", { d: path, fill: "#000" }));

/** @param picture as `GET records/ID?view=detail` has it. */
export function drawn({ width, height, label, marks }) {
  return h("figure", {}, s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "picture" },
    marks.map(({ element, attributes, text }) => s(element, attributes, text))));
}

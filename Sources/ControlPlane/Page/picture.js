// The picture of the handshake: the gate computes its marks, and they become elements here.
import { h, s } from "/dom.js";

/** A QR code. @param of its content, for people who cannot see it. */
export const qr = (of, { side, path }) => s("svg", { class: "qr", role: "img", "aria-label": `QR code of ${of}`, viewBox: `0 0 ${side} ${side}`, "shape-rendering": "crispEdges" },
  s("rect", { width: side, height: side, fill: "#fff" }), s("path", { d: path, fill: "#000" }));

/** @param picture the picture in `GET records/ID?view=detail`. */
export function drawn({ width, height, label, marks }) {
  return h("figure", {}, s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "picture" },
    marks.map(({ element, attributes, text }) => s(element, attributes, text))));
}

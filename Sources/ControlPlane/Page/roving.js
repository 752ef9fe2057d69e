// One tab stop for many rows: arrow keys, j and k, Home and End move between them (WAI-ARIA Authoring Practices, "Managing
// focus within components using a roving tabindex").

/** Makes one tab stop of the rows in `element` that match `selector`; each has tabindex -1.
 *  @param open receives a row and whether a key opened it: Enter, Space or a click on the row itself. */
export function roving(element, selector, open) {
  let current = null;
  const isShown = (row) => row.isConnected && element.contains(row) && !row.closest("[hidden]");
  const rows = () => [...element.querySelectorAll(selector)].filter(isShown);

  function make(row) {
    if (current !== row) current?.setAttribute("tabindex", "-1");
    current = row;
    row?.setAttribute("tabindex", "0");
  }

  element.addEventListener("focusin", (event) => {
    const row = event.target.closest(selector);
    if (row) make(row);
  });
  element.addEventListener("click", (event) => {
    const row = event.target.closest(selector);
    if (row && !event.target.closest("button, a, select, input, summary, label")) open(row, event, false);
  });
  element.addEventListener("keydown", (event) => {
    const row = event.target.closest(selector);
    if (!row) return;
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") return beside(row, event);
    if (event.target !== row || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    open(row, event, true);
  });

  /** Moves between a row and its controls, which are not tab stops themselves. */
  function beside(row, event) {
    const stops = [row, ...row.querySelectorAll("button, a, select, summary")].filter((stop) => stop.checkVisibility());
    if (stops.length < 2 || event.target.matches("input")) return;
    const next = stops[stops.indexOf(event.target) + (event.key === "ArrowRight" ? 1 : -1)];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  return {
    /** Restores the tab stop after rows were added or removed. */
    update() {
      if (!current || !isShown(current)) make(rows()[0] ?? null);
    },
    /** Handles a key from anywhere on the page. @returns true if it was one of these keys. */
    key(key) {
      const steps = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
      if (!(key in steps)) return false;
      const all = rows();
      const isIn = element.contains(document.activeElement);
      const place = Math.max(0, all.indexOf(current)) + (isIn ? steps[key] : 0);
      all.at(Math.min(Math.max(place, 0), all.length - 1))?.focus();
      return all.length > 0;
    },
    /** Moves to the next row that matches, wrapping around. @returns true if there is one. */
    next(isWanted) {
      const all = rows();
      const place = element.contains(document.activeElement) ? all.indexOf(current) : -1;
      const row = [...all.slice(place + 1), ...all.slice(0, place + 1)].find(isWanted);
      row?.focus();
      return Boolean(row);
    },
    get current() { return current; },
    focus() { current?.focus(); },
  };
}

/** Keeps the children of `parent` by key and updates them in place, so that they keep their focus.
 *  @param make returns `{ element, update(item) }` for an item. */
export function keyed(parent, make, alone = (draw) => draw()) {
  const parts = new Map();
  return {
    parts,
    /** @param items a Map from keys to items, in display order. */
    update(items) {
      const focused = parent.contains(document.activeElement) ? document.activeElement : null;
      for (const [key, part] of parts) {
        if (items.has(key)) continue;
        part.element.remove();
        parts.delete(key);
      }
      let place = parent.firstChild;
      for (const [key, item] of items) {
        let part = parts.get(key);
        if (!part) parts.set(key, part = make(item));
        alone(() => part.update(item));
        if (part.element === place) place = place.nextSibling;
        else parent.insertBefore(part.element, place);
      }
      // Moving an element removes its focus.
      if (focused?.isConnected && document.activeElement !== focused) focused.focus({ preventScroll: true });
    },
  };
}

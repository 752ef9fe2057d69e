// The gate's API, and what happens while it happens.

export async function get(path) { return answer(await fetch(`/api/v1/${path}`)); }

export async function send(method, path, body) {
  return answer(await fetch(`/api/v1/${path}`, { method, body: typeof body === "string" ? body : JSON.stringify(body) }));
}

async function answer(response) {
  const value = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(value.error ?? `The gate answered ${response.status}.`);
  return value;
}

/** Everything that is known here, and who is told when it changes. */
export const live = { state: null, totals: {}, groups: new Map(), loads: [], skipped: 0, ungrouped: 0, isOpen: false };
const listeners = new Set();
let isDue = false;

/** Calls `listener` after changes, at most once for each picture that the screen shows. */
export function watch(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function changed() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    for (const listener of listeners) alone(listener);
  });
}

/** What one row or view can not draw must not keep the others from being drawn: the browser's console tells of it. */
export function alone(draw) {
  try { draw(); } catch (error) { reportError(error); }
}

export async function refreshState() {
  live.state = await get("state");
  changed();
}

/** @param onNotice is told what people should be told. */
export function open(onNotice) {
  const source = new EventSource("/api/v1/events");
  source.addEventListener("open", () => {
    // A new stream begins with everything.
    live.groups.clear();
    live.loads = [];
    live.isOpen = true;
    changed();
  });
  source.addEventListener("error", () => { live.isOpen = false; changed(); });
  source.addEventListener("changes", (event) => {
    const changes = JSON.parse(event.data);
    live.isOpen = true;
    live.totals = changes.totals;
    live.ungrouped = changes.ungrouped;
    live.skipped = changes.skipped;
    for (const group of changes.groups) live.groups.set(group.group, group);
    live.loads = [...changes.loads, ...live.loads].slice(0, 200);
    for (const notice of changes.notices) alone(() => onNotice(notice));
    changed();
  });
}

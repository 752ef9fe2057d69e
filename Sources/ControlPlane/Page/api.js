// The gate's API and its stream of live changes.

export async function get(path) { return answer(await fetch(`/api/v1/${path}`)); }

export async function send(method, path, body) {
  return answer(await fetch(`/api/v1/${path}`, { method, body: typeof body === "string" ? body : JSON.stringify(body) }));
}

/** An error answer of the gate, with its status. */
export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

async function answer(response) {
  const value = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, value.error ?? `The gate answered ${response.status}.`);
  return value;
}

/** The data of all views. `changes` counts the events of the stream. */
export const live = {
  state: null, totals: {}, groups: new Map(), loads: [], skipped: 0, ungrouped: 0, changes: 0,
  isOpen: false, lostAt: null, isOther: false,
};
const listeners = new Set();
let isDue = false;
const againMilliseconds = 2_000;
const rowsKept = 200;

/** Calls `listener` after changes, at most once for each animation frame. */
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

/** Runs `draw`; an error in one row or view goes to the browser's console and does not stop the others. */
export function alone(draw) {
  try { draw(); } catch (error) { reportError(error); }
}

export async function refreshState() {
  live.state = await get("state");
  changed();
}

/** Opens the stream. @param onNotice receives the gate's notices. */
export function open(onNotice) {
  const source = new EventSource("/api/v1/events");
  let isNew = true;
  source.addEventListener("open", () => {
    isNew = true;
    found();
  });
  source.addEventListener("error", () => lost(source, onNotice));
  source.addEventListener("changes", (event) => {
    const changes = JSON.parse(event.data);
    // A new stream begins with the complete state.
    if (isNew) {
      live.groups.clear();
      live.loads = [];
      isNew = false;
    }
    live.totals = changes.totals;
    live.ungrouped = changes.ungrouped;
    live.skipped = changes.skipped;
    live.changes += 1;
    for (const group of changes.groups) live.groups.set(group.group, group);
    live.loads = [...changes.loads, ...live.loads].slice(0, rowsKept);
    for (const notice of changes.notices) alone(() => onNotice(notice));
    found();
  });
}

function found() {
  if (live.lostAt) refreshState().catch(() => {});
  live.isOpen = true;
  live.lostAt = null;
  changed();
}

/** Browsers reconnect by themselves if the gate does not answer, but not after an error answer. */
function lost(source, onNotice) {
  live.isOpen = false;
  live.lostAt ??= Date.now();
  changed();
  if (source.readyState !== EventSource.CLOSED) return;
  get("state").then(() => open(onNotice), (error) => {
    live.isOther = error.status === 401;
    changed();
    if (!live.isOther) setTimeout(() => open(onNotice), againMilliseconds);
  });
}

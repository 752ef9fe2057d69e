// The gate's API, and what happens while it happens.

export async function get(path) { return answer(await fetch(`/api/v1/${path}`)); }

export async function send(method, path, body) {
  return answer(await fetch(`/api/v1/${path}`, { method, body: typeof body === "string" ? body : JSON.stringify(body) }));
}

/** What the gate refused, with its status. */
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

/** Everything that is known here, and who is told when it changes. `changes` counts what came by the stream. */
export const live = {
  state: null, totals: {}, groups: new Map(), loads: [], skipped: 0, ungrouped: 0, changes: 0,
  isOpen: false, lostAt: null, isOther: false,
};
const listeners = new Set();
let isDue = false;
const againMilliseconds = 2_000;
const rowsKept = 200;

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
  let isNew = true;
  source.addEventListener("open", () => {
    isNew = true;
    found();
  });
  source.addEventListener("error", () => lost(source, onNotice));
  source.addEventListener("changes", (event) => {
    const changes = JSON.parse(event.data);
    // A new stream begins with everything.
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

/** Browsers come back by themselves where nobody answers, but not where they were refused. */
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

// What the lists show: loads as they come, or those that the gate finds for a filter; from a moment on, or held still.
import { changed, get, live } from "/api.js";
import { hasFilter, matcher, queryOf } from "/address.js";

const shortestMilliseconds = 1_000;
/** The gate searches for a tenth of the time at most. */
const timesAsLong = 10;
const mostRows = 200;

/** What was hidden by "Clear", and what is shown while nothing moves; null for neither. */
export const board = { cleared: null, held: null };
/** What the gate found last, for which question, and when the page had heard how much. */
let found = { question: "", groups: [], loads: [], note: "", heard: -1, error: "" };
let isAsking = false;
let timer = null;
let nextAt = 0;

/** Hides what is there; the record keeps it. */
export function clearList() {
  board.cleared = { time: Date.now(), groups: new Map([...live.groups].map(([key, group]) => [key, group.loads])), totals: live.totals };
  if (board.held) hold();
  changed();
}

export function showAll() {
  board.cleared = null;
  changed();
}

/** Stops what is shown from moving, or lets it go on. */
export function pause() {
  if (board.held) board.held = null;
  else hold();
  changed();
}

function hold() {
  board.held = { groups: new Map(live.groups), loads: live.loads, totals: live.totals, found, changes: live.changes };
}

/** Loads since the start, or since "Clear", by how they ended. */
export function totals() {
  const now = (board.held ?? live).totals;
  const before = board.cleared?.totals ?? {};
  // A gate that was started anew counts from 0 on.
  return Object.fromEntries(Object.entries(now).map(([verdict, loads]) => [verdict, Math.max(0, loads - (before[verdict] ?? 0))]));
}

/** What a list shows. @returns groups or loads, whose they are where that is in doubt, and what to say of them. */
export function shown(filter) {
  const isByHost = filter.list === "";
  // The stream has the hosts since the gate's start. Words, and recordings of other times, are the gate's to look for.
  if (!(isByHost ? filter.search || filter.recording : hasFilter(filter))) return fromStream(filter);
  const query = queryOf(filter, board.cleared?.time);
  const question = isByHost ? `groups?${query}` : `records?view=row&limit=${mostRows}&${query}`;
  if (!board.held) ask(question);
  const answer = board.held?.found ?? found;
  const isOld = answer.question !== question;
  return { groups: isOld ? [] : answer.groups, loads: isOld ? [] : answer.loads, note: isOld ? "" : answer.note, isWaiting: isOld && !board.held, error: isOld ? "" : answer.error };
}

function fromStream(filter) {
  const source = board.held ?? live;
  const matches = matcher(filter);
  const before = board.cleared;
  const groups = [];
  for (const group of source.groups.values()) {
    if (!matches(group)) continue;
    const hidden = before?.groups.get(group.group) ?? 0;
    if (group.loads > hidden) groups.push(hidden ? { ...group, loads: group.loads - hidden } : group);
  }
  const loads = source.loads.filter((load) => !before || load.time >= before.time);
  return { groups, loads, note: live.state?.shared ? "Loads of this gate alone." : "", isWaiting: false, error: "" };
}

/** Asks what was not asked yet, and again where loads came since: no sooner than the gate can bear. */
function ask(question) {
  const isNew = question !== found.question;
  if (!isNew && found.heard === live.changes) return;
  if (isAsking || (timer && !isNew)) return;
  clearTimeout(timer);
  timer = null;
  const wait = isNew ? 0 : nextAt - performance.now();
  if (wait <= 0) return void fetchRows(question);
  timer = setTimeout(() => { timer = null; changed(); }, wait);
}

async function fetchRows(question) {
  isAsking = true;
  const heard = live.changes;
  const begun = performance.now();
  try {
    const { groups = [], records = [], note } = await get(question);
    found = { question, groups, loads: records, note: note ?? "", heard, error: "" };
  } catch (error) {
    found = { question, groups: [], loads: [], note: "", heard, error: error.message };
  }
  const end = performance.now();
  nextAt = end + Math.max(shortestMilliseconds, timesAsLong * (end - begun));
  isAsking = false;
  changed();
}

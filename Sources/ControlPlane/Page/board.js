// The content of the lists: live loads, or those that the gate finds for a filter; since "Clear", or paused.
import { changed, get, live } from "/api.js";
import { hasFilter, matcher, queryOf } from "/address.js";

const shortestMilliseconds = 1_000;
/** Limits searches to a tenth of the time. */
const timesAsLong = 10;
const mostRows = 200;

/** The state when "Clear" was used, and the state that is shown while paused; each null if not in use. */
export const board = { cleared: null, held: null };
/** The last answer of the gate, its question, and the value of `live.changes` at that time. */
let found = { question: "", groups: [], loads: [], note: "", heard: -1, error: "" };
let isAsking = false;
let timer = null;
let nextAt = 0;

/** Hides the current loads; they stay in the recording. */
export function clearList() {
  board.cleared = { time: Date.now(), groups: new Map([...live.groups].map(([key, group]) => [key, group.loads])), totals: live.totals };
  if (board.held) hold();
  changed();
}

export function showAll() {
  board.cleared = null;
  changed();
}

/** Pauses or resumes the list. */
export function pause() {
  if (board.held) board.held = null;
  else hold();
  changed();
}

function hold() {
  board.held = { groups: new Map(live.groups), loads: live.loads, totals: live.totals, found, changes: live.changes };
}

/** Loads since the start, or since "Clear", by verdict. */
export function totals() {
  const now = (board.held ?? live).totals;
  const before = board.cleared?.totals ?? {};
  // A restarted gate counts from 0.
  return Object.fromEntries(Object.entries(now).map(([verdict, loads]) => [verdict, Math.max(0, loads - (before[verdict] ?? 0))]));
}

/** The content of a list. @returns groups or loads, a note on their gates if the store is shared, and an error. */
export function shown(filter) {
  const isByHost = filter.list === "";
  // The stream has the hosts since the gate's start. Search words and other recordings need the gate.
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
  return { groups, loads, note: live.state?.shared ? "This gate's loads only." : "", isWaiting: false, error: "" };
}

/** Asks the gate if the question is new, or again if loads have arrived, but not too often. */
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

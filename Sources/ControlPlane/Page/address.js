// What is shown, in the address: a reload, a bookmark and a colleague see the same, and Back leads to what was shown before.

const names = ["view", "search", "verdict", "rule", "device", "entrance", "recording", "list", "sort", "load"];
/** Those that say which loads are wanted. */
export const filterNames = ["search", "verdict", "rule", "device", "entrance", "recording"];

export function read() {
  const query = new URLSearchParams(location.search);
  const shown = Object.fromEntries(names.map((name) => [name, query.get(name) ?? ""]));
  // As older bookmarks have it.
  shown.search ||= query.get("host") ?? "";
  return shown;
}

/** Places that Back leads through, counted, and what is shown. */
let index = history.state?.index ?? 0;
let address = location.search;

/** Changes some, and leaves the others as they are. @param isNew makes a place of its own for Back. */
export function write(changes, isNew = false) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries({ search: read().search, ...changes, host: "" })) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  const next = text ? `/?${text}` : "/";
  if (isNew) history.pushState({ index: index += 1 }, "", next);
  else history.replaceState({ index }, "", next);
  address = location.search;
}

/** After Back or Forward. A place that shows the same, as that of a load which was closed there, is passed over.
 *  @returns whether something else is to be shown. */
export function wentTo(state) {
  if (!state && location.hash) {
    // A link within the page.
    history.replaceState({ index: index += 1 }, "");
    return false;
  }
  const next = state?.index ?? 0;
  const isBack = next < index;
  const isSame = location.search === address;
  index = next;
  address = location.search;
  if (!isSame) return true;
  if (isBack) history.back();
  else history.forward();
  return false;
}

export const hasFilter = (filter) => filterNames.some((name) => filter[name]);

/** Whether a group, or a row of a load, is wanted, but for the words that are searched: those the gate looks for. */
export function matcher(filter) {
  const wanted = filter.verdict ? new Set(filter.verdict.split(",")) : null;
  return (row) => (!wanted || wanted.has(row.verdict)) && (!filter.rule || row.rule === filter.rule)
    && (!filter.device || row.device === filter.device) && (!filter.entrance || row.entrance === filter.entrance) && (!filter.recording || row.recording === filter.recording);
}

/** The filter as the API takes it. @param since milliseconds since 1970; 0 for all. */
export function queryOf(filter, since = 0) {
  const query = new URLSearchParams();
  for (const name of filterNames) if (filter[name]) query.set(name, filter[name]);
  if (since) query.set("since", String(since));
  return query;
}

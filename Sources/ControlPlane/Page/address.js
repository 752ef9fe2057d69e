// The page's state lives in the address, so that a reload, a bookmark or a shared link shows the same, and Back works.

const names = ["view", "search", "verdict", "rule", "app", "device", "entrance", "hello", "recording", "list", "sort", "load"];
/** The names of filters. */
export const filterNames = ["search", "verdict", "rule", "app", "device", "entrance", "hello", "recording"];

export function read() {
  const query = new URLSearchParams(location.search);
  const shown = Object.fromEntries(names.map((name) => [name, query.get(name) ?? ""]));
  // Older bookmarks use this name.
  shown.search ||= query.get("host") ?? "";
  return shown;
}

/** The position in the history, and the query that is shown. */
let index = history.state?.index ?? 0;
let address = location.search;

/** Changes some parts of the query and keeps the others. @param isNew adds an entry to the history. */
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

/** Handles Back and Forward. Skips an entry that shows the same, such as that of a load that was closed.
 *  @returns true if the page must show something else. */
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

/** Tests a group or a load against the filter, except for the search words, which only the gate can look for. */
export function matcher(filter) {
  const wanted = filter.verdict ? new Set(filter.verdict.split(",")) : null;
  return (row) => (!wanted || wanted.has(row.verdict)) && (!filter.rule || row.rule === filter.rule)
    && (!filter.app || row.app === filter.app) && (!filter.device || row.device === filter.device) && (!filter.entrance || row.entrance === filter.entrance) && (!filter.hello || row.hello === filter.hello) && (!filter.recording || row.recording === filter.recording);
}

/** The filter as a query of the API. @param since milliseconds since 1970; 0 for all. */
export function queryOf(filter, since = 0) {
  const query = new URLSearchParams();
  for (const name of filterNames) if (filter[name]) query.set(name, filter[name]);
  if (since) query.set("since", String(since));
  return query;
}

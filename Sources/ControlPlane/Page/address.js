// What is shown, in the address: a reload, a bookmark and a colleague see the same.

const names = ["view", "host", "verdict", "rule", "device", "recording", "list", "group", "load"];

export function read() {
  const query = new URLSearchParams(location.search);
  return Object.fromEntries(names.map((name) => [name, query.get(name) ?? ""]));
}

/** Changes some, and leaves the others as they are. */
export function write(changes) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  history.replaceState(null, "", text ? `/?${text}` : "/");
}

/** Whether a group, or a row of a load, is wanted. A host without stars is looked for anywhere in the name. */
export function matcher(filter) {
  const wanted = filter.verdict ? new Set(filter.verdict.split(",")) : null;
  const host = filter.host.trim().toLowerCase();
  const pattern = host && new RegExp(/[*?]/.test(host)
    ? `^${[...host].map((one) => one === "*" ? ".*" : one === "?" ? "." : escape(one)).join("")}$`
    : escape(host));
  return (row) => (!wanted || wanted.has(row.verdict)) && (!pattern || pattern.test(row.host.toLowerCase()))
    && (!filter.rule || row.rule === filter.rule) && (!filter.device || row.device === filter.device)
    && (!filter.recording || row.recording === filter.recording);
}

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

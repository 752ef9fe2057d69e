// A load as a line for a shell.

/** For a shell of POSIX: within single quotes nothing has a meaning but a quote. */
export const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const dictionaries = /\.(plist|json|app|appex|ipa|xcarchive)$/;

/** The same request, asked of the origin directly. */
export function curl({ method, url, userAgent }) {
  const words = ["curl", "-i"];
  if (method === "HEAD") words[1] = "-I";
  else if (method !== "GET" && method !== "CONNECT") words.push("-X", quoted(method));
  if (userAgent) words.push("-A", quoted(userAgent));
  // Brackets and braces in a URL are not curl's to expand.
  if (/[[\]{}]/.test(url)) words.push("-g");
  return [...words, quoted(url)].join(" ");
}

/** The handshake, judged as this load was. */
export function probe({ url, os, policy }) {
  const law = policy && dictionaries.test(policy) ? ["--policy", quoted(policy)] : [];
  return ["atsgate", "probe", ...law, "--os", quoted(os), quoted(url)].join(" ");
}

/** What there is to copy of a record. */
export const linesOf = (record) => ({
  URL: record.load.url,
  curl: curl({ method: record.load.method, url: record.load.url, userAgent: record.client.userAgent }),
  "atsgate probe": probe({ url: record.load.url, os: record.policy.os, policy: record.policy.source }),
});

/** Copies for a key, and says so. */
export async function copy(name, text) {
  const place = document.getElementById("said");
  try {
    await navigator.clipboard.writeText(text);
    place.textContent = `Copied ${name}`;
  } catch {
    place.textContent = text;
  }
  setTimeout(() => { place.textContent = ""; }, 2500);
}

// Shell commands for a load.

/** Quotes text for a POSIX shell: within single quotes only a single quote is special. */
export const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const dictionaries = /\.(plist|json|app|appex|ipa|xcarchive)$/;

/** The same request, sent directly to the server. */
export function curl({ method, url, userAgent }) {
  const words = ["curl", "-i"];
  if (method === "HEAD") words[1] = "-I";
  else if (method !== "GET" && method !== "CONNECT") words.push("-X", quoted(method));
  if (userAgent) words.push("-A", quoted(userAgent));
  // Keeps curl from expanding brackets and braces in the URL.
  if (/[[\]{}]/.test(url)) words.push("-g");
  return [...words, quoted(url)].join(" ");
}

/** A probe of the handshake under the same rules. */
export function probe({ url, os, policy }) {
  const law = policy && dictionaries.test(policy) ? ["--policy", quoted(policy)] : [];
  return ["atsgate", "probe", ...law, "--os", quoted(os), quoted(url)].join(" ");
}

/** The texts of a record that can be copied. */
export const linesOf = (record) => ({
  URL: record.load.url,
  curl: curl({ method: record.load.method, url: record.load.url, userAgent: record.client.userAgent }),
  "atsgate probe": probe({ url: record.load.url, os: record.policy.os, policy: record.policy.source }),
});

/** Copies a text and confirms it. */
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

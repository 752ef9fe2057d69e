// Loads every address of the list in three ways: as a page in a frame, as a picture, and by fetch. Loads a few at a
// time and shows the results. With ?go in the page's address, the loads start automatically.
"use strict";

const parallel = 6;
const patience = 20000;
const button = document.getElementById("load");
const told = document.getElementById("told");

/** True if any response arrived; its kind is hidden from a page of another origin. */
async function byFetch(url) {
  try {
    await fetch(url, { mode: "no-cors", cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(patience) });
    return true;
  } catch {
    return false;
  }
}

/** Waits for the end of the picture. A response that is not a picture ends like one that was rejected. */
function asPicture(url) {
  return new Promise((resolve) => {
    const picture = new Image();
    const timer = setTimeout(resolve, patience);
    picture.onload = picture.onerror = () => { clearTimeout(timer); resolve(); };
    picture.src = url;
  });
}

/** Waits for the end of the frame. Removing it earlier could abort its handshake, which would count as an answer. */
function asFrame(url) {
  return new Promise((resolve) => {
    const frame = document.createElement("iframe");
    const end = () => { clearTimeout(timer); frame.remove(); resolve(); };
    // Not every browser reports a frame that could not be loaded.
    const timer = setTimeout(end, patience);
    frame.onload = frame.onerror = end;
    frame.hidden = true;
    frame.setAttribute("sandbox", "");
    frame.src = url;
    document.body.append(frame);
  });
}

/** The frames; only the end of all loads waits for them. */
const frames = [];

async function load(row) {
  const word = row.querySelector("small");
  word.textContent = "loading";
  const separator = row.dataset.url.includes("?") ? "&" : "?";
  const address = (kind) => `${row.dataset.url}${separator}as=${kind}&at=${Date.now()}`;
  frames.push(asFrame(address("frame")));
  await asPicture(address("picture"));
  const came = await byFetch(address("fetch"));
  row.dataset.came = came;
  word.textContent = came ? "loaded" : "did not load";
}

async function loadAll() {
  button.disabled = true;
  const rows = [...document.querySelectorAll("#urls li")];
  const waiting = [...rows];
  let done = 0;
  await Promise.all(Array.from({ length: parallel }, async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      await load(row);
      done += 1;
      told.textContent = `${done} of ${rows.length}`;
    }
  }));
  await Promise.all(frames.splice(0));
  const came = rows.filter((row) => row.dataset.came === "true").length;
  told.textContent = `done: ${came} loaded, ${rows.length - came} did not`;
  document.body.dataset.done = "true";
  button.disabled = false;
}

button?.addEventListener("click", loadAll);
if (button && new URLSearchParams(location.search).has("go")) loadAll();

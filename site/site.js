// The search of the start page. Finds Apple's codes, their names and rule ids in pasted text and links to their pages;
// other words are looked up in titles. The text stays in the browser. `answers` is the list of pages, from site/site.py.
(() => {
  const field = document.querySelector("#question"), list = document.querySelector("#answers");
  if (!field) return;
  const shown = 8, fewest = 3;
  const names = new Map();
  for (const answer of answers) for (const name of answer.title.split(/:? /, 2)) names.set(name.toLowerCase(), answer);
  // Lines without a code. Source: docs/console-lines.md.
  const lines = [
    ["app transport security policy requires", "-1022"], ["blocked a cleartext http", "-1022"],
    ["does not conform to ats policy", "-1022"], ["ats failed system trust", "-9802"],
  ];

  // Stream codes first: they say more than the code around them.
  const weight = (answer) => (/^codes\/9\d{3}/.test(answer.page) ? 0 : 1);

  function find(text) {
    const plain = text.replace(/[\u2212\u2013]/g, "-").toLowerCase();
    const found = new Set();
    const add = (name) => { if (names.has(name)) found.add(names.get(name)); };
    if (/^\d{3,4}$/.test(plain.trim())) add("-" + plain.trim());
    for (const [number] of plain.matchAll(/(?<![\w.-])-\d{3,4}(?!\d)/g)) add(number);
    for (const [, number] of plain.matchAll(/\b\d{1,2}:(-\d{3,4})(?!\d)/g)) add(number);
    for (const [word] of plain.matchAll(/[a-z][\w.-]*\w/g)) add(word);
    for (const [line, number] of lines) if (plain.includes(line)) add(number);
    const words = plain.trim();
    if (!found.size && words.length >= fewest) {
      for (const answer of answers) if ((answer.title + " " + answer.words).toLowerCase().includes(words)) found.add(answer);
    }
    return [...found].sort((one, other) => weight(one) - weight(other)).slice(0, shown);
  }

  function show() {
    const found = find(field.value);
    list.replaceChildren(...found.map((answer) => {
      const item = document.createElement("li"), link = document.createElement("a");
      link.href = answer.page;
      link.textContent = answer.title;
      item.append(link, " " + answer.words);
      return item;
    }));
    if (!found.length && field.value.trim().length >= fewest) list.textContent = "No page for this text.";
  }

  field.addEventListener("input", show);
  // Enter opens the first page, as in a search field; a pasted text may have several lines.
  field.addEventListener("keydown", (event) => {
    const first = list.querySelector("a");
    if (event.key !== "Enter" || event.shiftKey || !first) return;
    event.preventDefault();
    location.href = first.href;
  });
  show();
})();

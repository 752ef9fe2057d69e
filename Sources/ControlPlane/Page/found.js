// Marks the words of a search in the lists, by the CSS Custom Highlight API: the elements stay as they are.

/** @param search the words of the search field; a word with * matches a whole field and is not marked. */
export function markFound(element, search) {
  if (!globalThis.CSS?.highlights) return;
  const words = search.toLowerCase().split(/\s+/).filter((word) => word && !word.includes("*"));
  const ranges = [];
  const texts = words.length ? document.createTreeWalker(element, NodeFilter.SHOW_TEXT) : null;
  while (texts?.nextNode()) {
    const text = texts.currentNode.data.toLowerCase();
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        ranges.push(new StaticRange({ startContainer: texts.currentNode, startOffset: at, endContainer: texts.currentNode, endOffset: at + word.length }));
      }
    }
  }
  if (ranges.length) CSS.highlights.set("found", new Highlight(...ranges));
  else CSS.highlights.delete("found");
}

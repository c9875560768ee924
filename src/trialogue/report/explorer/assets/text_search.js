"use strict";
/* Full-text search: a scan. Every chunk of texts becomes one folded string (small letters, no accents), in which the engine
   finds a term faster than an index of words could be read from the disk; any part of a word is found, in any language. */
Explorer.textSearch = (() => {
  const BETWEEN = "\u0000"; // stands between rows, and in no term
  const REMEMBERED = 12; // terms
  const PLAIN = /^[\x00-\x7f]*$/; // eslint-disable-line no-control-regex
  let chunks = null; // [{text, offsets, first}], once they are read
  let reading = null;
  const known = new Map(); // term -> mask

  /** Small letters without accents, in which é is e. */
  function fold(text) {
    const small = text.toLowerCase();
    return PLAIN.test(small) ? small : small.normalize("NFD").replace(/\p{Mn}/gu, "");
  }

  /** The terms of a query: words, and "several words" between quotation marks. */
  function terms(query) {
    return [...fold(query).matchAll(/"([^"]+)"|[^\s"]+/g)].map((match) => match[1] ?? match[0]).filter(Boolean);
  }

  async function read(tell) {
    const starts = Explorer.rows.chunks.text;
    const found = [];
    const loading = starts.map((_, at) => at);
    const AT_ONCE = 6; // files that are read at a time
    let done = 0;
    const reader = async () => {
      while (loading.length) {
        const at = loading.shift();
        const texts = await Explorer.store.load(`text-${at}`);
        const offsets = new Uint32Array(texts.length + 1);
        const folded = texts.map((messages) => fold(messages.join("\n")));
        folded.forEach((text, row) => (offsets[row + 1] = offsets[row] + text.length + 1));
        found[at] = { text: folded.join(BETWEEN), offsets, first: starts[at] };
        tell(++done, starts.length);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, reader));
    return found;
  }

  /** Read all texts, once; tell(chunks read, chunks) is called as it goes on. */
  function prepare(tell = () => {}) {
    reading ??= read(tell).then((found) => (chunks = found));
    return reading;
  }

  function scan(term) {
    const mask = new Uint8Array(Explorer.rows.size);
    for (const { text, offsets, first } of chunks) {
      let row = 0;
      for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, offsets[row + 1])) {
        let high = offsets.length - 2;
        while (row < high) {
          const middle = (row + high + 1) >> 1;
          if (offsets[middle] <= at) row = middle;
          else high = middle - 1;
        }
        mask[first + row] = 1;
      }
    }
    return mask;
  }

  /** A promise of the rows in whose messages every term of a query stands, as a mask. */
  async function find(query, tell) {
    await prepare(tell);
    const all = new Uint8Array(Explorer.rows.size).fill(1);
    for (const term of terms(query)) {
      if (!known.has(term)) {
        known.set(term, scan(term));
        if (known.size > REMEMBERED) known.delete(known.keys().next().value);
      }
      const mask = known.get(term);
      for (let row = 0; row < all.length; row++) all[row] &= mask[row];
    }
    return all;
  }

  return { fold, terms, prepare, find };
})();

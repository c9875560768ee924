"use strict";
/* Full-text search: a scan. Every chunk of texts becomes one folded string (small letters, no accents), in which the engine
   finds a term faster than an index of words could be read from the disk; any part of a word is found, in any language. */
Explorer.textSearch = (() => {
  const BETWEEN = "\u0000"; // stands between rows, and in no term
  const REMEMBERED = 12; // terms
  const PLAIN = /^[\x00-\x7f]*$/; // eslint-disable-line no-control-regex
  const AT_ONCE = 6; // files that are read at a time where somebody waits for them
  let chunks = null; // [{text, offsets, first}], once they are read
  let reading = null; // {found, queue, readers, done, tell, promise, resolve, reject}
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

  function begin() {
    const one = { found: [], queue: Explorer.rows.chunks.text.map((_, at) => at), readers: 0, done: 0, tell: () => {} };
    one.promise = new Promise((resolve, reject) => Object.assign(one, { resolve, reject }));
    return one;
  }

  async function readChunk(at) {
    const starts = Explorer.rows.chunks.text;
    const texts = await Explorer.store.load(`text-${at}`);
    const offsets = new Uint32Array(texts.length + 1);
    const folded = texts.map((messages) => fold(messages.join("\n")));
    folded.forEach((text, row) => (offsets[row + 1] = offsets[row] + text.length + 1));
    reading.found[at] = { text: folded.join(BETWEEN), offsets, first: starts[at] };
    reading.tell(++reading.done, starts.length);
    if (reading.done === starts.length) reading.resolve((chunks = reading.found));
  }

  /** Read what is left of the queue, one file after the other; wait() is awaited before each. */
  async function work(wait) {
    reading.readers++;
    try {
      while (reading.queue.length) {
        if (wait) await wait();
        if (reading.queue.length) await readChunk(reading.queue.shift());
      }
    } catch (error) {
      reading.reject(error);
    }
  }

  /** A promise that all texts are read, once; tell(chunks read, chunks) is called as it goes on.
      wait: in the background, one file at a time, each after a promise of it; null: somebody waits, so as fast as possible. */
  function prepare(tell = null, wait = null) {
    reading ??= begin();
    if (tell) reading.tell = tell;
    if (wait) work(wait);
    else while (reading.readers < AT_ONCE) work(null);
    return reading.promise;
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

"use strict";
/* Reading ahead: what filters and the search need, while nothing else is to be done, so that their first use is as fast as
   later ones. One file at a time, each in a moment of rest; whoever asks for a file before does not wait for the others. */
Explorer.warmUp = (() => {
  const MAX_TEXT = 64; // files of texts, of a million characters each: beyond, memory matters more than the first search
  const PATIENCE = 2000; // milliseconds after which a file is read though there was no rest

  function rest() {
    return new Promise((resolve) => {
      if (window.requestIdleCallback) window.requestIdleCallback(resolve, { timeout: PATIENCE });
      else setTimeout(resolve, 20); // Safari
    });
  }

  /** A promise that everything is read. */
  return async () => {
    const { rows, store, textSearch } = Explorer;
    for (const facet of Object.keys(rows.facets)) {
      await rest();
      if (rows.facets[facet].length) await store.load(`facet-${facet}`);
    }
    for (const measure of rows.measures.keys()) {
      await rest();
      await rows.values(measure);
    }
    if (rows.chunks.text.length <= MAX_TEXT) await textSearch.prepare(null, rest);
  };
})();

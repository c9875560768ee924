"use strict";
/* The store: chunks of data, each loaded once, when it is needed, as a script beside the page.
   A page on a disk may not fetch files; it may load scripts. A chunk calls Explorer.receive(name, json). */
const Explorer = {};

Explorer.store = (() => {
  const KEPT = 24; // chunks of texts and details in memory at a time; all others stay
  const waiting = new Map(); // name -> {promise, resolve, reject}
  const held = new Map();
  const recent = [];

  function isLarge(name) {
    return name.startsWith("text-") || name.startsWith("detail-");
  }

  function keep(name, content) {
    held.set(name, content);
    if (!isLarge(name)) return;
    recent.push(name);
    if (recent.length > KEPT) held.delete(recent.shift());
  }

  function entry(name) {
    if (!waiting.has(name)) {
      const one = {};
      one.promise = new Promise((resolve, reject) => Object.assign(one, { resolve, reject }));
      waiting.set(name, one);
    }
    return waiting.get(name);
  }

  /** Called by a chunk's script. */
  Explorer.receive = (name, json) => {
    const content = JSON.parse(json);
    keep(name, content);
    entry(name).resolve(content);
    waiting.delete(name);
  };

  /** A promise of a chunk's content. */
  function load(name) {
    if (held.has(name)) return Promise.resolve(held.get(name));
    const isAsked = waiting.has(name);
    const one = entry(name);
    if (!isAsked) {
      const script = document.createElement("script");
      script.src = `explorer/data/${name}.js`;
      script.onload = () => script.remove();
      script.onerror = () => {
        script.remove();
        waiting.delete(name);
        one.reject(new Error(`explorer/data/${name}.js cannot be read. Is the folder "explorer" next to this page?`));
      };
      document.head.append(script);
    }
    return one.promise;
  }

  return { load };
})();

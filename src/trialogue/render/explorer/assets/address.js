"use strict";
/* The address: everything that is filtered and open stands behind the "#", so that it can be kept and sent.
   The report writes such addresses too (trialogue/render/explorer/links.py). */
Explorer.address = (() => {
  const TEXTS = ["q", "part", "measure", "min", "max", "ending", "strategy", "rater", "fault", "sort"];
  const LISTS = { system: ",", act: "/", threat: "/", open: "/", beside: "/" };
  const FIELDS = [...TEXTS, ...Object.keys(LISTS)];

  function decode(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text; // a "%" that somebody typed
    }
  }

  /** The state with nothing filtered and nothing open. */
  function blank() {
    const state = Object.create(null);
    for (const name of TEXTS) state[name] = "";
    for (const name of Object.keys(LISTS)) state[name] = [];
    return state;
  }

  /** The state that an address holds; unknown fields are passed over. */
  function read(hash) {
    const state = blank();
    for (const field of hash.replace(/^#/, "").split("&")) {
      const [name, ...rest] = field.split("=");
      const value = rest.join("=");
      if (TEXTS.includes(name)) state[name] = decode(value);
      else if (Object.hasOwn(LISTS, name) && value) state[name] = value.split(LISTS[name]).map(decode);
    }
    return state;
  }

  /** The address of a state. */
  function write(state) {
    const fields = [];
    for (const name of FIELDS) {
      const separator = LISTS[name];
      const value = separator ? state[name].map(encodeURIComponent).join(separator) : encodeURIComponent(state[name]);
      if (value) fields.push(`${name}=${value}`);
    }
    return `#${fields.join("&")}`;
  }

  return { blank, read, write };
})();

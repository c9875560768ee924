"use strict";
/* The controls: a field for each filter that the data allow, kept in step with the state. */
Explorer.controls = (() => {
  const { make, count } = Explorer.dom;
  const rows = Explorer.rows;
  const MAX_OPTIONS = 80; // names beyond which a field to type in, with suggestions, is handier than a menu
  const LONGEST = 90; // characters of an option
  const SEPARATOR = "\u001f"; // between the names of an option's value; stands in no name
  const fields = new Map(); // name of the filter -> {read, write}

  function shortened(text) {
    return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
  }

  function labelled(text, control, kind = "") {
    return make("label", { class: `field ${kind}` }, make("span", { text }), control);
  }

  /** A menu: options are [value, text] or [heading, [[value, text], ...]]. */
  function menu(name, text, everything, options, kind) {
    const option = ([value, words]) => make("option", { value, text: shortened(words) });
    const control = make(
      "select",
      { name },
      everything === null ? null : make("option", { value: "", text: everything }),
      options.map(([value, words]) =>
        Array.isArray(words) ? make("optgroup", { label: value }, words.map(option)) : option([value, words]),
      ),
    );
    fields.set(name, {
      read: () => control.value,
      write: (value) => {
        if (value && ![...control.options].some((one) => one.value === value)) {
          control.append(make("option", { value, text: `${shortened(value.replaceAll(SEPARATOR, " "))} (not here)` }));
        }
        control.value = value;
      },
    });
    return labelled(text, control, kind);
  }

  function typed(name, text, suggestions) {
    const control = make("input", { name, list: `${name}-names`, autocomplete: "off", placeholder: "any" });
    fields.set(name, { read: () => control.value, write: (value) => (control.value = value) });
    const names = make("datalist", { id: `${name}-names` }, suggestions.map((value) => make("option", { value })));
    return labelled(text, make("span", {}, control, names));
  }

  function numeric(name, text) {
    const control = make("input", { name, type: "number", step: "any", inputmode: "decimal" });
    fields.set(name, { read: () => control.value, write: (value) => (control.value = value), control });
    return labelled(text, control, "half");
  }

  function facet(name, text, words = (parts) => parts.join(": ")) {
    const known = rows.facets[name];
    if (!known.length) return null;
    if (known.length > MAX_OPTIONS && known.every(([parts]) => parts.length === 1)) {
      return typed(name, text, known.map(([parts]) => parts[0]));
    }
    const options = known.map(([parts, size]) => [parts.join(SEPARATOR), `${words(parts)} (${size.toLocaleString("en")})`]);
    return menu(name, text, "any", options);
  }

  function endings() {
    if (!rows.endings.length) return null;
    const plain = rows.endings.map(([name]) => [name, name.replaceAll("_", " ")]);
    const faults = [...new Set(rows.endings.map(([, fault]) => fault).filter(Boolean))];
    const failed = faults.map((fault) => [`fault-${fault}`, `fault: ${fault}`]);
    const groups = failed.length ? [["Failed", [["failure", "any failure"], ...failed]], ["Ended by", plain]] : plain;
    return menu("ending", "Ending", "any", groups);
  }

  function threats() {
    const effect = { blocks: "Block a verdict", demotes: "Make one conditional", notes: "To note" };
    const groups = Object.entries(effect)
      .map(([severity, heading]) => [
        heading,
        rows.threats.filter((one) => one.severity === severity).map((one) => [one.key.join(SEPARATOR), one.text]),
      ])
      .filter(([, options]) => options.length);
    return groups.length ? menu("threat", "Threat to validity", "any", groups, "wide") : null;
  }

  function measures() {
    if (!rows.measures.length) return [];
    const primary = rows.primary === null ? "none" : rows.measures[rows.primary].label;
    const options = rows.measures.map(({ name, label, rows: size }) => [name, `${label} (${size.toLocaleString("en")})`]);
    return [
      menu("measure", "Measure", primary === "none" ? "none" : `${primary} (the report's answer)`, options, "wide"),
      numeric("min", "At least"),
      numeric("max", "At most"),
      menu("sort", "Order", "worst first", [["low", "lowest first"], ["high", "highest first"], ["file", "as in the file"]]),
    ];
  }

  /** Make the fields; changed() is called when one of them is changed. */
  function start(changed) {
    const named = (wanted) => rows.systems.filter(([, , isBaseline]) => isBaseline === wanted).map(([name]) => [name, name]);
    const baselines = named(true);
    const systems = [...named(false), ...(baselines.length ? [["Baselines, which ignore the user", baselines]] : [])];
    const search = make("input", {
      name: "q", type: "search", placeholder: 'Words, or "a phrase"', autocomplete: "off", "aria-keyshortcuts": "/",
    });
    fields.set("q", { read: () => search.value, write: (value) => (search.value = value), control: search });
    const rest = make(
      "div",
      { class: "grid" },
      rows.parts.length > 1 ? menu("part", "Users", "all", rows.parts.map(([name]) => [name, name])) : null,
      menu("system", "System", "all", systems),
      rows.systems.length > 1 ? menu("second", "Side by side with", "none", systems) : null,
      measures(),
    );
    const others = [
      endings(),
      facet("strategy", "Strategy", (parts) => parts[0].replaceAll("_", " ")),
      facet("act", "Act"),
      facet("rater", "Rater"),
      facet("fault", "Fault of the user", (parts) => parts[0].replaceAll("_", " ")),
      threats(),
    ].filter(Boolean);
    const more = make("details", { class: "more" }, make("summary", { text: "More filters" }), make("div", { class: "grid" }, others));
    const clear = make("button", { type: "reset", text: "Clear filters" });
    const fold = make(
      "details",
      { class: "more" },
      make("summary", {}, "Filters", make("span", { id: "filtered" })),
      rest,
      others.length ? more : null,
      clear,
    );
    fold.open = window.matchMedia("(min-width: 60rem)").matches;
    const form = document.getElementById("filters");
    form.append(labelled("Search the messages", search, "search"), fold);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => changed(read()));
    form.addEventListener("reset", (event) => {
      event.preventDefault();
      changed(Explorer.address.blank(), true);
    });
    search.addEventListener("focus", () => Explorer.textSearch.prepare(), { once: true });
  }

  function split(value) {
    return value ? value.split(SEPARATOR) : [];
  }

  /** The filters as a state, with nothing open. */
  function read() {
    const state = Explorer.address.blank();
    const value = (name) => fields.get(name)?.read() ?? "";
    for (const name of ["q", "part", "measure", "min", "max", "sort", "ending", "strategy", "rater", "fault"]) {
      state[name] = value(name);
    }
    state.act = split(value("act"));
    state.threat = split(value("threat"));
    state.system = [value("system"), value("second")].filter(Boolean);
    return state;
  }

  /** Put a state into the fields. */
  function write(state) {
    for (const name of ["q", "part", "measure", "min", "max", "sort", "ending", "strategy", "rater", "fault"]) {
      const field = fields.get(name);
      if (field && field.read() !== state[name]) field.write(state[name]);
    }
    const folded = ["ending", "strategy", "act", "rater", "fault", "threat"];
    if (folded.some((name) => state[name].length)) document.querySelector(".more .more").open = true;
    fields.get("act")?.write(state.act.join(SEPARATOR));
    fields.get("threat")?.write(state.threat.join(SEPARATOR));
    fields.get("system")?.write(state.system[0] ?? "");
    fields.get("second")?.write(state.system[1] ?? "");
    const measure = Explorer.filters.measureOf(state);
    for (const [name, end] of [["min", "low"], ["max", "high"]]) {
      const control = fields.get(name)?.control;
      if (control) control.placeholder = measure === null ? "" : Explorer.dom.number(rows.measures[measure][end]);
    }
    const set = Object.entries(state).filter(
      ([name, value]) => value.length && !["q", "open", "beside", "sort"].includes(name),
    );
    document.getElementById("filtered").textContent = set.length ? ` · ${count(set.length, "filter")} set` : "";
  }

  return { start, read, write, focusSearch: () => fields.get("q").control.focus() };
})();

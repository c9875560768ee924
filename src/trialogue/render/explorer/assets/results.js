"use strict";
/* The results: what the filters left, as a list, and how many there are. */
Explorer.results = (() => {
  const { make, number, count, system } = Explorer.dom;
  const rows = Explorer.rows;
  const HEIGHT = 60; // pixels of a row; style.css has the same
  let list = null;
  let found = { rows: [], measure: null, values: null, pairs: null };
  let openRow = () => {};

  function valueOf(row) {
    if (!found.values) return null;
    const value = found.values[row];
    return make("b", { class: "value", text: Number.isNaN(value) ? "\u2014" : number(value) });
  }

  function badges(row) {
    const fault = rows.fault(row);
    const part = rows.parts.length > 1 ? rows.parts[rows.part[row]][0] : "";
    return [
      part ? make("span", { class: "badge", text: part }) : null,
      fault ? make("span", { class: "badge bad", text: rows.endings[rows.ending[row]][0].replaceAll("_", " ") }) : null,
    ];
  }

  function head(row) {
    const other = found.pairs?.get(row);
    if (other === undefined) return [make("span", { class: "line" }, system(rows.system[row]), ...badges(row)), valueOf(row)];
    const side = (one) => make("span", { class: "side" }, system(rows.system[one]), valueOf(one));
    return [make("span", { class: "line" }, side(row), side(other), ...badges(row))];
  }

  /** Draw the list once, when several previews come together. */
  let isDue = false;
  function redrawSoon() {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      list.redraw();
    });
  }

  function draw(row, place) {
    const preview = rows.preview(row, redrawSoon);
    return make(
      "div",
      { class: "row", onclick: () => openRow(place) },
      make("span", { class: "head" }, ...head(row)),
      make(
        "span",
        { class: "preview", dir: "auto" },
        make("bdi", { text: preview === null ? "\u2026" : preview || rows.ids[row] }),
        make("span", { class: "size", text: ` · ${count(rows.length[row], "message")}` }),
      ),
    );
  }

  function tellCount() {
    const all = rows.replies === 0 ? "dialogues" : rows.replies === rows.size ? "replies" : "dialogues and replies";
    const what = found.pairs ? "situations or needs that both met" : all;
    const measure = found.measure === null ? null : rows.measures[found.measure];
    const how = { low: "lowest first", high: "highest first", file: "in the order of the file" }[found.sort];
    const by = measure ? `, by ${measure.label}${found.pairs ? ", difference" : ""}, ${how}` : "";
    const beside = rows.ofBaselines && found.rows.length === rows.size && !found.pairs;
    const baselines = beside ? ` (${rows.ofBaselines.toLocaleString("en")} with baselines)` : "";
    const of = found.rows.length === rows.size ? "" : ` of ${rows.size.toLocaleString("en")}`;
    document.getElementById("count").replaceChildren(
      make("b", { text: found.rows.length.toLocaleString("en") }),
      `${of} ${what}${baselines}${by}`,
    );
  }

  /** Begin: open(place) is called where a row is clicked. */
  function start(open) {
    openRow = open;
    list = new Explorer.VirtualList(document.getElementById("list"), HEIGHT, draw);
  }

  /** Show what filters left. */
  function show(result) {
    found = result;
    tellCount();
    list.show(result.rows);
  }

  /** Say that texts are being read. */
  function tellReading(done, all) {
    document.getElementById("count").textContent = `Reading texts: ${done} of ${all} files`;
  }

  return {
    start,
    show,
    tellReading,
    activate: (place) => list.activate(place),
    get active() {
      return list.active;
    },
    get size() {
      return found.rows.length;
    },
    rowAt: (place) => found.rows[place],
    placeOf: (row) => found.rows.indexOf(row),
    otherOf: (row) => found.pairs?.get(row),
  };
})();

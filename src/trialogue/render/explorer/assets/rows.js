"use strict";
/* The rows: the columns of the index, and what can be asked of them. A row is a dialogue, or a reply to a situation. */
Explorer.rows = (() => {
  const rows = { size: 0 };

  /** Take the index. */
  rows.fill = (index) => {
    Object.assign(rows, {
      title: index.title,
      size: index.rows.id.length,
      ids: index.rows.id,
      system: Int32Array.from(index.rows.system),
      part: Int32Array.from(index.rows.part),
      ending: Int32Array.from(index.rows.ending),
      shared: Int32Array.from(index.rows.shared),
      length: Int32Array.from(index.rows.length),
      systems: index.systems,
      parts: index.parts,
      endings: index.endings,
      measures: index.measures,
      primary: index.primary,
      facets: index.facets,
      threats: index.threats,
      replies: index.replies, // how many rows are replies to situations
      chunks: index.chunks,
    });
    rows.ofBaselines = rows.system.reduce((sum, at) => sum + (rows.systems[at][2] ? 1 : 0), 0);
    rows.measureNumbers = new Map(index.measures.map((measure, at) => [measure.name, at]));
  };

  /** What an address calls a row: part, system, id. */
  rows.path = (row) => [rows.parts[rows.part[row]][0], rows.systems[rows.system[row]][0], rows.ids[row]];

  /** The row of a path, whose part may be left open (""); -1 where there is none. */
  rows.find = ([part, system, id]) => {
    for (let row = 0; row < rows.size; row++) {
      if (rows.ids[row] !== id || rows.systems[rows.system[row]][0] !== system) continue;
      if (part === "" || rows.parts[rows.part[row]][0] === part) return row;
    }
    return -1;
  };

  /** The rows of other systems on the same need or situation, in order. */
  rows.alike = (row) => {
    const found = [];
    if (rows.shared[row] < 0) return found;
    for (let other = 0; other < rows.size; other++) {
      if (rows.shared[other] === rows.shared[row] && other !== row) found.push(other);
    }
    return found;
  };

  /** Whether something failed, and through whom: "" for a regular ending or none. */
  rows.fault = (row) => (rows.ending[row] < 0 ? "" : rows.endings[rows.ending[row]][1]);

  /** A promise of the values of a measure: a Float64Array, NaN where a row has none. */
  const columns = new Map();
  rows.values = async (measure) => {
    if (!columns.has(measure)) {
      const values = await Explorer.store.load(`measure-${measure}`);
      columns.set(measure, Float64Array.from(values, (value) => value ?? NaN));
    }
    return columns.get(measure);
  };

  /** A promise of the rows that have a name of a facet, as a mask. */
  const masks = new Map();
  rows.withName = async (facet, name) => {
    const at = rows.facets[facet].findIndex(([parts]) => parts.join("/") === name.join("/"));
    const mask = new Uint8Array(rows.size);
    if (at < 0) return mask;
    const key = `${facet} ${at}`;
    if (!masks.has(key)) {
      const postings = await Explorer.store.load(`facet-${facet}`);
      let row = 0;
      for (const step of postings[at]) mask[(row += step)] = 1;
      masks.set(key, mask);
    }
    return masks.get(key);
  };

  /** The beginning of a row's dialogue; null, and then changed(), where it has to be read first. */
  const previews = new Map(); // number of a chunk -> its texts; null while it is read
  rows.preview = (row, changed) => {
    const at = Math.floor(row / rows.chunks.preview);
    if (!previews.has(at)) {
      previews.set(at, null);
      Explorer.store.load(`previews-${at}`).then((texts) => (previews.set(at, texts), changed()), () => {});
    }
    return previews.get(at)?.[row - at * rows.chunks.preview] ?? null;
  };

  /** The chunk of a kind ("text" or "detail") that holds a row, and its first row. */
  rows.chunkOf = (kind, row) => {
    const starts = rows.chunks[kind];
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= row) low = middle;
      else high = middle - 1;
    }
    return { name: `${kind}-${low}`, first: starts[low] };
  };

  /** A promise of the texts and details of a row. */
  rows.content = async (row) => {
    const text = rows.chunkOf("text", row);
    const detail = rows.chunkOf("detail", row);
    const [texts, details] = await Promise.all([Explorer.store.load(text.name), Explorer.store.load(detail.name)]);
    return { texts: texts[row - text.first], detail: details.rows[row - detail.first], words: details.words };
  };

  return rows;
})();

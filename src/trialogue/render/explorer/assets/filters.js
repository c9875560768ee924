"use strict";
/* Filters: from a state to the rows that are left, in order. Each filter is a condition on a row; what a filter reads from
   the disk is read when it is first used. */
Explorer.filters = (() => {
  const rows = Explorer.rows;
  const PREFIX = "fault-"; // of an ending that stands for all endings by one party's fault

  function systemNumbers(state) {
    return state.system.map((name) => rows.systems.findIndex(([known]) => known === name));
  }

  function endingCondition(ending) {
    if (ending === "failure") return (row) => rows.fault(row) !== "";
    if (ending === "none") return (row) => rows.ending[row] < 0;
    if (ending.startsWith(PREFIX)) return (row) => rows.fault(row) === ending.slice(PREFIX.length);
    const number = rows.endings.findIndex(([name]) => name === ending);
    return (row) => rows.ending[row] === number;
  }

  async function threatCondition(key) {
    const threat = rows.threats.find((one) => one.key.join("/") === key.join("/"));
    if (!threat) return () => false;
    const systems = new Set(threat.systems);
    const gated = threat.gated ? await anyFault() : null;
    return (row) =>
      (!systems.size || systems.has(rows.systems[rows.system[row]][0])) &&
      (threat.users === null || rows.parts[rows.part[row]][1] === threat.users) &&
      (!threat.faults.length || threat.faults.includes(rows.fault(row))) &&
      (gated === null || gated[row] === 1);
  }

  /** Rows whose user shows any fault. */
  async function anyFault() {
    const mask = new Uint8Array(rows.size);
    for (const [name] of rows.facets.fault) {
      const own = await rows.withName("fault", name);
      for (let row = 0; row < rows.size; row++) mask[row] |= own[row];
    }
    return mask;
  }

  /** The number of the measure that a state sorts by; null where there is none. */
  function measureOf(state) {
    return rows.measureNumbers.get(state.measure) ?? (state.measure ? null : rows.primary);
  }

  async function conditions(state, values, tell) {
    const found = [];
    if (state.part) {
      const part = rows.parts.findIndex(([name]) => name === state.part);
      found.push((row) => rows.part[row] === part);
    }
    if (state.ending) found.push(endingCondition(state.ending));
    if (state.threat.length) found.push(await threatCondition(state.threat));
    for (const facet of ["strategy", "rater", "fault"]) {
      if (state[facet]) {
        const mask = await rows.withName(facet, [state[facet]]);
        found.push((row) => mask[row] === 1);
      }
    }
    if (state.act.length) {
      const mask = await rows.withName("act", state.act);
      found.push((row) => mask[row] === 1);
    }
    if (values && (state.measure || state.min || state.max)) {
      const low = state.min === "" ? -Infinity : Number(state.min);
      const high = state.max === "" ? Infinity : Number(state.max);
      found.push((row) => values[row] >= low && values[row] <= high); // false for NaN
    }
    if (state.q.trim()) {
      const mask = await Explorer.textSearch.find(state.q, tell);
      found.push((row) => mask[row] === 1);
    }
    return found;
  }

  /** The rows of one system on needs or situations that another met as well: [row, the other's row]. */
  function pairs(first, second) {
    const others = new Map();
    for (let row = 0; row < rows.size; row++) {
      if (rows.system[row] === second && rows.shared[row] >= 0) {
        const key = `${rows.part[row]} ${rows.shared[row]}`;
        if (!others.has(key)) others.set(key, row);
      }
    }
    const found = new Map();
    for (let row = 0; row < rows.size; row++) {
      const other = others.get(`${rows.part[row]} ${rows.shared[row]}`);
      if (rows.system[row] === first && rows.shared[row] >= 0 && other !== undefined) found.set(row, other);
    }
    return found;
  }

  /** Rows by a value: the worst first, or, of a pair, the largest difference first; rows without one last, in file order. */
  function sorted(found, keyOf, sort) {
    const keys = new Float64Array(rows.size);
    for (const row of found) keys[row] = keyOf(row);
    const sign = sort === "high" ? -1 : 1;
    const isKnown = (row) => !Number.isNaN(keys[row]);
    const known = found.filter(isKnown).sort((a, b) => sign * (keys[a] - keys[b]) || a - b);
    return [...known, ...found.filter((row) => !isKnown(row))];
  }

  /** Whether low values come first: the worst dialogues teach most. */
  function direction(state, measure) {
    if (state.sort) return state.sort;
    return measure !== null && rows.measures[measure].better === "lower" ? "high" : "low";
  }

  /** A promise of {rows, measure, values, pairs, hidden}: what is left, in order.
      hidden: how many rows only the choice of a measure leaves out, since they have no value. */
  async function apply(state, tell) {
    const measure = measureOf(state);
    const values = measure === null ? null : await rows.values(measure);
    const all = await conditions(state, values, tell);
    const passes = (row) => all.every((condition) => condition(row));
    const systems = systemNumbers(state);
    const paired = systems.length === 2 ? pairs(...systems) : new Map();
    const found = [];
    if (paired.size) {
      for (const [row, other] of paired) if (passes(row) || passes(other)) found.push(row);
    } else {
      const wanted = systems.length ? new Set(systems) : null;
      for (let row = 0; row < rows.size; row++) {
        if ((wanted === null || wanted.has(rows.system[row])) && passes(row)) found.push(row);
      }
    }
    const sort = direction(state, measure);
    const keyOf = paired.size ? (row) => values[row] - values[paired.get(row)] : (row) => values[row];
    const order = values && sort !== "file" ? sorted(found, keyOf, sort) : found;
    return { rows: order, measure, values, pairs: paired.size ? paired : null, sort };
  }

  return { apply, measureOf };
})();

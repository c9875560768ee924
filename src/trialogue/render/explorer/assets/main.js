"use strict";
/* The explorer: keeps the address, the filters, the list and the open dialogue in step. The address holds the state. */
(() => {
  const { address, rows, filters, results, controls, dialogue, keys, store } = Explorer;
  let state = address.blank();
  let latest = 0; // of the filters that were asked for

  function measured(name, start) {
    requestAnimationFrame(() => setTimeout(() => performance.measure(`explorer:${name}`, { start, end: performance.now() })));
  }

  /** Keep the address in step: a dialogue that is opened or closed is a step in the browser's history, a filter is none. */
  function keepAddress(isStep) {
    const hash = address.write(state);
    if (hash === location.hash || (hash === "#" && !location.hash)) return;
    if (isStep) history.pushState(null, "", hash);
    else history.replaceState(null, "", hash);
  }

  function tell(error) {
    dialogue.clear(error.message);
  }

  async function applyFilters() {
    const start = performance.now();
    const mine = ++latest;
    const found = await filters.apply(state, (done, all) => mine === latest && results.tellReading(done, all));
    if (mine !== latest) return;
    results.show(found);
    const open = rows.find(state.open);
    if (open >= 0) results.activate(results.placeOf(open));
    measured("filter", start);
  }

  function besideOf(row) {
    if (state.beside.length) return rows.find(state.beside);
    return results.otherOf(row) ?? -1;
  }

  async function showOpen() {
    if (!state.open.length) return dialogue.clear();
    const row = rows.find(state.open);
    if (row < 0) return dialogue.clear(`There is no dialogue ${state.open[2]} of ${state.open[1]} here.`);
    const start = performance.now();
    const actions = { close, beside: (other) => setBeside(other), query: state.q };
    await dialogue.show(row, besideOf(row), actions);
    measured("open", start);
  }

  function open(row, isStep = true) {
    state.open = rows.path(row);
    state.beside = [];
    keepAddress(isStep);
    showOpen().catch(tell);
  }

  function openPlace(place) {
    results.activate(place);
    open(results.rowAt(place));
  }

  function setBeside(row) {
    state.beside = row < 0 ? [] : rows.path(row);
    keepAddress(false);
    showOpen().catch(tell);
  }

  function close() {
    if (!state.open.length) return;
    state.open = [];
    state.beside = [];
    keepAddress(true);
    dialogue.clear();
    document.getElementById("list").focus();
  }

  /** Move in the list; an open dialogue makes room for the next one. */
  function move(steps) {
    if (!results.size) return;
    const place = Math.min(results.size - 1, Math.max(0, results.active + steps));
    results.activate(place);
    if (state.open.length) open(results.rowAt(place), false);
  }

  /** The next of the dialogues on the same need or situation, beside the open one. */
  function cycleBeside() {
    const row = rows.find(state.open);
    const alike = row < 0 ? [] : rows.alike(row);
    if (alike.length) setBeside(alike[(alike.indexOf(besideOf(row)) + 1) % alike.length]);
  }

  function changed(next) {
    state = { ...next, open: state.open, beside: state.beside };
    controls.write(state);
    keepAddress(false);
    applyFilters().catch(tell);
  }

  function followAddress() {
    state = address.read(location.hash);
    controls.write(state);
    applyFilters().then(showOpen).catch(tell);
  }

  async function begin() {
    rows.fill(await store.load("index"));
    document.getElementById("title").textContent = rows.title;
    document.title = `${rows.title} · Explorer · Trialogue`;
    results.start(openPlace);
    controls.start(changed);
    keys.start({
      move,
      first: () => move(-rows.size),
      last: () => move(rows.size),
      open: () => results.active >= 0 && openPlace(results.active),
      close,
      search: controls.focusSearch,
      beside: cycleBeside,
    });
    window.addEventListener("popstate", followAddress);
    followAddress();
    measured("first", 0);
    Explorer.warmUp().then(() => measured("warm", 0), () => {}); // what cannot be read says so where it is needed
  }

  begin().catch(tell);
})();

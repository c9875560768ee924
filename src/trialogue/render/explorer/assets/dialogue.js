"use strict";
/* The open dialogue: what is on record about it, its messages, and another one beside it. */
Explorer.dialogue = (() => {
  const { make, number, count, system } = Explorer.dom;
  const { talk, calls, terms, label, raterText } = Explorer.messages;
  const rows = Explorer.rows;
  const pane = () => document.getElementById("dialogue");
  let latest = 0; // of what was asked for; an older answer that comes late is not shown

  function fold(heading, content, isOpen = false) {
    return make("details", { class: "part", open: isOpen }, make("summary", { text: heading }), content);
  }

  /** A table; a column without any text is left out. */
  function table(caption, allHeads, allLines) {
    const used = allHeads.map((_, at) => allLines.some((cells) => cells[at]));
    const heads = allHeads.filter((_, at) => used[at]);
    const lines = allLines.map((cells) => cells.filter((_, at) => used[at]));
    return make(
      "div",
      { class: "scroll", role: "region", tabindex: "0", "aria-label": caption },
      make(
        "table",
        {},
        make("caption", { class: "unseen", text: caption }),
        make("thead", {}, make("tr", {}, heads.map((head) => make("th", { scope: "col", text: head })))),
        make("tbody", {}, lines.map((cells) => make("tr", {}, cells.map((text) => make("td", { text, dir: "auto" }))))),
      ),
    );
  }

  /** A heading that says how many there are, and the first of them. */
  function summary(heading, lines) {
    const more = lines.length > 1 ? ` and ${lines.length - 1} more` : "";
    return `${heading}: ${lines[0][0]} ${lines[0][1]}${more}`;
  }

  function scores(detail, words) {
    if (!detail.v) return null;
    const order = (name) => rows.measureNumbers.get(name) ?? rows.measures.length;
    const sorted = [...detail.v].sort((a, b) => order(words[a[0]]) - order(words[b[0]]));
    const lines = sorted.map(([measure, value, why]) => [
      label(words[measure]), value === null ? "undefined" : number(value), why === null ? "" : words[why],
    ]);
    return fold(summary("Scores", lines), table("Scores", ["Measure", "Value", "Why"], lines));
  }

  function answers(detail, words) {
    if (!detail.r) return null;
    const lines = detail.r.map(([measure, value, rater, kind, low, high, why]) => [
      label(words[measure]),
      value === null ? "no answer" : number(value),
      low === null || high === null ? "" : `${number(low)} to ${number(high)}`,
      raterText(rater, kind, words),
      why === null ? "" : words[why],
    ]);
    return fold(summary("Answers", lines), table("Answers", ["Question", "Answer", "Scale", "Rater", "Why none"], lines));
  }

  function votes(detail) {
    if (!detail.p) return null;
    const lines = detail.p.map(([other, talkId, chosen, rater, kind, reason]) => [
      chosen, talkId ? `${other}, ${talkId}` : other, kind === "people" ? rater : `${rater} (${kind})`, reason,
    ]);
    return fold(`Votes (${lines.length})`, table("Votes", ["Vote", "Against", "Rater", "Reason"], lines), true);
  }

  function opinions(detail) {
    if (!detail.o) return null;
    return fold(`Opinions on items (${detail.o.length})`, table("Opinions on items", ["Item", "Asked", "Answer"], detail.o));
  }

  function waits(detail) {
    const times = (detail.u ?? []).map((one) => one.w).filter((time) => time !== undefined);
    if (!times.length) return [];
    const sum = times.reduce((all, time) => all + time, 0);
    return [["time of the system", `${number(sum)} s in ${count(times.length, "turn")}, at most ${number(Math.max(...times))} s`]];
  }

  /** One dialogue with everything about it. */
  function sheet(row, content) {
    const { detail, words } = content;
    const [part, name, id] = rows.path(row);
    const facts = [...(rows.parts.length > 1 ? [["users", part]] : []), ...(detail.f ?? []), ...waits(detail)];
    const alone = { ...Explorer.address.blank(), open: rows.path(row) };
    return make(
      "article",
      { class: "sheet-of", "aria-label": `${name}, ${id}` },
      make("h2", {}, system(rows.system[row]), " ", make("span", { class: "id" }, make("bdi", { text: id }))),
      make(
        "ul",
        { class: "facts" },
        facts.map(([what, text]) => make("li", {}, make("span", { text: `${what} ` }), make("bdi", { text }))),
        make("li", {}, make("a", { href: Explorer.address.write(alone), text: "Link to this dialogue" })),
      ),
      detail.n ? fold("What the user wants", terms(detail.n)) : null,
      scores(detail, words),
      answers(detail, words),
      votes(detail),
      opinions(detail),
      talk(content, name),
      calls(detail.c),
      detail.e ? make("div", { class: "reference" }, make("h3", { text: "What the human recommender said" }), make("p", { text: detail.e, dir: "auto" })) : null,
      detail.x ? fold("Everything else that is recorded", terms(detail.x)) : null,
    );
  }

  /** A menu of dialogues with the same need or situation. */
  function besideMenu(row, beside, choose) {
    const alike = rows.alike(row);
    if (!alike.length) return null;
    const select = make(
      "select",
      { name: "beside" },
      make("option", { value: "", text: "nothing" }),
      alike.map((other) => {
        const [part, name, id] = rows.path(other);
        const where = rows.parts.length > 1 ? `${part}: ` : "";
        return make("option", { value: other, text: `${where}${name} \u00b7 ${id}`.slice(0, 90) });
      }),
    );
    if (beside >= 0 && !alike.includes(beside)) select.append(make("option", { value: beside, text: rows.path(beside)[1] }));
    select.value = beside < 0 ? "" : String(beside);
    select.addEventListener("change", () => choose(select.value === "" ? -1 : Number(select.value)));
    return make("label", { class: "field" }, make("span", { text: `Next to it, on the same need or situation (${alike.length})` }), select);
  }

  /** Mark the words that were searched for, where the browser can without changing the text. */
  function highlight(query) {
    if (!globalThis.Highlight || !CSS.highlights) return;
    CSS.highlights.delete("hit");
    const wanted = Explorer.textSearch.terms(query);
    if (!wanted.length) return;
    const ranges = [];
    const walker = document.createTreeWalker(pane(), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!node.parentElement.closest(".talk .said")) continue;
      const text = Explorer.textSearch.fold(node.data);
      if (text.length !== node.data.length) continue; // places would not fit
      for (const term of wanted) {
        for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + term.length)) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + term.length);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set("hit", new Highlight(...ranges));
  }

  /** Show a row, and another one beside it (-1 for none).
      actions: {close(), beside(row), query}. */
  async function show(row, beside, actions) {
    const mine = ++latest;
    const shown = beside >= 0 ? [row, beside] : [row];
    const contents = await Promise.all(shown.map((one) => rows.content(one)));
    if (mine !== latest) return;
    document.body.classList.add("reading");
    pane().classList.toggle("double", shown.length > 1);
    pane().replaceChildren(
      make(
        "div",
        { class: "bar" },
        make("button", { type: "button", class: "close", onclick: actions.close }, "Close ", make("kbd", { text: "Esc" })),
        besideMenu(row, beside, actions.beside),
      ),
      make("div", { class: "sheets" }, shown.map((one, at) => sheet(one, contents[at]))),
    );
    pane().scrollTop = 0;
    highlight(actions.query);
  }

  /** Show nothing, or why a dialogue cannot be shown. */
  function clear(why = "") {
    latest++;
    document.body.classList.toggle("reading", Boolean(why));
    pane().classList.remove("double");
    pane().replaceChildren(make("p", { class: "hint", text: why || "Choose a dialogue: click one, or press j or k to select it, then Enter." }));
  }

  return { show, clear };
})();

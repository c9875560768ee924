"use strict";
/* The keyboard: what each key does, and the help that says so. */
Explorer.keys = (() => {
  const { make } = Explorer.dom;
  const HELP = [
    [["j", "\u2193"], "the next dialogue"],
    [["k", "\u2191"], "the one before"],
    [["Enter"], "open it"],
    [["Esc"], "close it; leave the search"],
    [["/"], "search the messages"],
    [["b"], "show the next system's dialogue on the same need or situation next to it"],
    [["g", "G"], "the first, the last dialogue"],
    [["?"], "this help"],
  ];

  function help() {
    return document.getElementById("help");
  }

  function fillHelp() {
    const rows = HELP.map(([keys, what]) =>
      make("div", {}, make("dt", {}, keys.map((key) => make("kbd", { text: key }))), make("dd", { text: what })),
    );
    help().replaceChildren(
      make("h2", { id: "help-title", text: "Keys" }),
      make("dl", { class: "terms" }, rows),
      make("p", { text: "The address of this page says what is filtered and open: keep it, or send it with the folder." }),
      make("button", { type: "button", text: "Close", onclick: () => help().close() }),
    );
    document.getElementById("help-button").addEventListener("click", () => help().showModal());
  }

  function isTyping(target) {
    return target.closest?.("input, select, textarea") !== null;
  }

  /** Begin: actions has move(steps), first(), last(), open(), close(), search(), beside(). */
  function start(actions) {
    fillHelp();
    const byKey = new Map([
      ["j", () => actions.move(1)],
      ["k", () => actions.move(-1)],
      ["g", actions.first],
      ["G", actions.last],
      ["/", actions.search],
      ["b", actions.beside],
      ["?", () => help().showModal()],
    ]);
    const inList = new Map([
      ["ArrowDown", () => actions.move(1)],
      ["ArrowUp", () => actions.move(-1)],
      ["PageDown", () => actions.move(8)],
      ["PageUp", () => actions.move(-8)],
      ["Home", actions.first],
      ["End", actions.last],
      ["Enter", actions.open],
    ]);
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || help().open) return;
      if (event.key === "Escape") {
        if (isTyping(event.target)) document.getElementById("list").focus();
        else actions.close();
        return;
      }
      if (isTyping(event.target)) return;
      const isOnList = event.target.id === "list" || event.target === document.body;
      const act = byKey.get(event.key) ?? (isOnList ? inList.get(event.key) : undefined);
      if (act) {
        event.preventDefault();
        act();
      }
    });
  }

  return { start };
})();

"use strict";
/* Elements. Texts become text nodes, never markup: whatever a dialogue holds, it is shown and not run. */
Explorer.dom = (() => {
  /** An element with attributes and children; a text becomes a text node, null and "" are left out. */
  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "text") element.textContent = value;
      else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children.flat()) {
      if (child !== null && child !== undefined && child !== "") element.append(child);
    }
    return element;
  }

  /** A number with at most three significant decimals and a typographic minus. */
  function number(value) {
    const text = Math.abs(value) >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
    return text.replace("-", "\u2212");
  }

  /** "1 dialogue", "2 dialogues". */
  function count(amount, one, many) {
    return `${amount.toLocaleString("en")} ${amount === 1 ? one : many ?? `${one}s`}`;
  }

  /** A system's name with its color, for the screen. */
  function system(index) {
    const [name, color] = Explorer.rows.systems[index];
    const swatch = color && color !== "accent" ? make("i", { class: `swatch ${color}` }) : null;
    return make("span", { class: "system" }, swatch, make("bdi", { text: name || "(no name)" }));
  }

  return { make, number, count, system };
})();

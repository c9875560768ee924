/* Every page works without this file. It notes times of focus and paste, warns before answers are lost, counts characters. */
"use strict";
(() => {
  const LONGEST_LIST = 200;
  const form = document.querySelector('form input[name="events"]')?.form;
  const began = performance.now();
  const events = [];
  const note = (kind) => {
    if (events.length < LONGEST_LIST) events.push([kind, Math.round(performance.now() - began)]);
  };

  if (form) {
    let changed = false;
    let sent = false;
    window.addEventListener("blur", () => note("blur"));
    window.addEventListener("focus", () => note("focus"));
    document.addEventListener("visibilitychange", () => note(document.hidden ? "hidden" : "visible"));
    form.addEventListener("paste", () => note("paste"));
    form.addEventListener("input", () => { if (!changed) note("first_input"); changed = true; });
    form.addEventListener("submit", (event) => {
      if (sent) { event.preventDefault(); return; }
      note("submit");
      form.elements.events.value = JSON.stringify(events);
      sent = true;
      // buttons are disabled only after the browser has read which of them was pressed
      setTimeout(() => form.querySelectorAll("button[type=submit]").forEach((each) => each.setAttribute("aria-disabled", "true")));
    });
    window.addEventListener("pageshow", (event) => {
      if (!event.persisted) return;
      sent = false;
      form.querySelectorAll("button[type=submit]").forEach((each) => each.removeAttribute("aria-disabled"));
    });
    if (!form.matches("[data-chat]")) {
      window.addEventListener("beforeunload", (event) => { if (changed && !sent) event.preventDefault(); });
    }
  }

  document.querySelectorAll("textarea[data-least], input[data-least]").forEach((field) => {
    const least = Number(field.dataset.least);
    if (!least) return;
    const count = document.createElement("p");
    count.className = "count";
    const show = () => { count.textContent = `${Math.min(field.value.trim().length, least)} / ${least}`; };
    field.after(count);
    field.addEventListener("input", show);
    show();
  });

  document.querySelectorAll("[data-copy]").forEach((button) => {
    if (!navigator.clipboard) return;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = button.dataset.done;
    });
  });
})();

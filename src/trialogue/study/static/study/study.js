/* Every page works without this file. It notes times of focus and paste, keeps answers that were not sent, counts characters. */
"use strict";
(() => {
  const LONGEST_LIST = 200;
  const PATIENCE = { page: 5000, chat: 60000 }; // milliseconds after which a form that led nowhere may be sent again
  const form = document.querySelector('form input[name="events"]')?.form;
  const began = performance.now();
  const events = [];
  const note = (kind) => {
    if (events.length < LONGEST_LIST) events.push([kind, Math.round(performance.now() - began)]);
  };

  /* What was answered and not yet saved stays in this tab until another page is answered: networks fail when a form is sent,
     and phones forget tabs. The key beside the token says whose step it is, and is the same at every load. */
  const store = { key: "unsaved", get: () => sessionStorage.getItem(store.key), set: (text) => sessionStorage.setItem(store.key, text), forget: () => sessionStorage.removeItem(store.key) };
  const choice = (each) => ["radio", "checkbox"].includes(each.type);
  const answered = (each) => (choice(each) ? each.checked : each.value !== "");
  const listed = (each) => each.tagName === "SELECT";
  const fields = () => [...form.elements].filter((each) => each.name && !["hidden", "submit"].includes(each.type));
  const page = () => [form.elements.token.dataset.page, form.elements.chat?.value, form.elements.turn?.value].join(" ");
  const keep = () => store.set(JSON.stringify([page(), fields().filter(answered).map((each) => [each.name, each.value])]));
  const restore = () => {
    const [of, given] = JSON.parse(store.get() ?? "[]");
    if (of !== page()) { store.forget(); return false; }
    if (fields().some(answered)) return false; // shown again by the server, or by the browser
    fields().forEach((each) => {
      const fits = (value) => (choice(each) ? value === each.value : !listed(each) || [...each.options].some((one) => one.value === value));
      const mine = given.find(([name, value]) => name === each.name && fits(value));
      if (mine && choice(each)) each.checked = true;
      else if (mine) each.value = mine[1];
    });
    return given.length > 0;
  };
  const ifAllowed = (act) => { try { return act(); } catch { return false; } }; // some browsers keep nothing for a site
  if (document.querySelector("[data-forget]")) ifAllowed(store.forget);

  /* A form goes once, however often a button is pressed; again only if no page came. */
  const once = (each, patience) => {
    let sent = false;
    const buttons = () => each.querySelectorAll("button[type=submit]");
    const again = () => { sent = false; buttons().forEach((button) => button.removeAttribute("aria-disabled")); };
    each.addEventListener("submit", (event) => {
      if (sent) { event.preventDefault(); return; }
      sent = true;
      // buttons are disabled only after the browser has read which of them was pressed
      setTimeout(() => buttons().forEach((button) => button.setAttribute("aria-disabled", "true")));
      setTimeout(again, patience);
    });
    window.addEventListener("pageshow", (event) => { if (event.persisted) again(); });
    return () => sent;
  };
  const gone = new Map([...document.querySelectorAll('form[method="post"]')].map((each) =>
    [each, once(each, each.matches("[data-chat]") ? PATIENCE.chat : PATIENCE.page)]));

  if (form?.elements.token) {
    let changed = ifAllowed(restore);
    window.addEventListener("blur", () => note("blur"));
    window.addEventListener("focus", () => note("focus"));
    document.addEventListener("visibilitychange", () => note(document.hidden ? "hidden" : "visible"));
    form.addEventListener("paste", () => note("paste"));
    form.addEventListener("input", () => { if (!changed) note("first_input"); changed = true; ifAllowed(keep); });
    form.addEventListener("submit", (event) => {
      if (event.defaultPrevented) return;
      note("submit");
      form.elements.events.value = JSON.stringify(events);
    });
    if (!form.matches("[data-chat]")) {
      window.addEventListener("beforeunload", (event) => { if (changed && !gone.get(form)()) event.preventDefault(); });
    }
  }

  /* A number becomes a place on a line; as long as nobody moves it, nothing is answered. */
  document.querySelectorAll("input[data-slider]").forEach((field) => {
    const line = document.createElement("input");
    Object.assign(line, { type: "range", min: field.dataset.low, max: field.dataset.high, step: field.dataset.step });
    line.setAttribute("aria-label", document.querySelector(`label[for="${CSS.escape(field.id)}"]`).textContent.trim());
    line.setAttribute("aria-describedby", field.getAttribute("aria-describedby"));
    line.value = field.value || (Number(field.dataset.low) + Number(field.dataset.high)) / 2;
    field.before(line);
    line.addEventListener("input", () => { field.value = line.value; field.dispatchEvent(new Event("input", { bubbles: true })); });
    line.addEventListener("click", () => { field.value = line.value; field.dispatchEvent(new Event("input", { bubbles: true })); });
    field.addEventListener("input", () => { if (field.value) line.value = field.value; });
  });

  /* A question that counts only after a certain answer is shown only then. The server leaves it out in any case. */
  const conditional = [...document.querySelectorAll("[data-only-if]")];
  const applies = (each) => {
    const wanted = each.dataset.values.split("\n");
    const given = [...document.getElementsByName(each.dataset.onlyIf)];
    return given.some((other) => (choice(other) ? other.checked : true) && wanted.includes(other.value));
  };
  const arrange = () => conditional.forEach((each) => { each.hidden = !applies(each); });
  conditional.forEach((each) => each.querySelector(".condition")?.setAttribute("hidden", ""));
  if (conditional.length) { document.addEventListener("change", arrange); arrange(); }

  document.querySelectorAll("textarea[data-least], input[data-least]").forEach((field) => {
    const least = Number(field.dataset.least);
    if (!least) return;
    const count = document.createElement("p");
    count.className = "count";
    const show = () => { count.textContent = `${Math.min([...field.value.trim()].length, least)} / ${least}`; };
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

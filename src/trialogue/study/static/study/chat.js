/* The chat works without this file; with it, a message appears at once and the answer comes without loading the page anew. */
"use strict";
(() => {
  const log = document.getElementById("log");
  const form = document.querySelector("form[data-chat]");
  const field = form?.elements.say;
  if (!field) return;
  field.scrollIntoView({ block: "nearest" });
  form.addEventListener("submit", (event) => {
    if (event.defaultPrevented || event.submitter?.value !== "say" || !field.value.trim()) return;
    const list = log.querySelector("ol") ?? log.firstElementChild.appendChild(Object.assign(document.createElement("ol"), { className: "talk" }));
    const mine = document.createElement("li");
    mine.className = "mine";
    mine.append(Object.assign(document.createElement("div"), { className: "bubble", textContent: field.value.trim() }));
    const waiting = document.createElement("li");
    waiting.className = "theirs waiting";
    waiting.append(Object.assign(document.createElement("div"), { className: "bubble" }));
    list.append(mine, waiting);
    log.scrollTop = 0; // the newest stands at the beginning of a reversed column
    field.readOnly = true;
  });
})();

"use strict";
/* A list of any length: as high as all rows, with elements only for those in view. */
Explorer.VirtualList = class {
  /** box: the element that scrolls; height: of a row in pixels; draw(item, place): a new row's content. */
  constructor(box, height, draw) {
    Object.assign(this, { box, height, draw, items: [], active: -1, drawn: new Map() });
    this.sheet = Explorer.dom.make("div", { class: "sheet", role: "presentation" });
    box.append(this.sheet);
    box.addEventListener("scroll", () => this.refresh(), { passive: true });
    new ResizeObserver(() => this.refresh()).observe(box);
  }

  /** Show other items, from the top. */
  show(items) {
    this.items = items;
    this.active = -1;
    this.box.removeAttribute("aria-activedescendant");
    this.sheet.style.height = `${items.length * this.height}px`;
    this.box.scrollTop = 0;
    this.redraw();
  }

  /** Draw anew what is in view, after something that the rows show has come. */
  redraw() {
    this.drawn.forEach((element) => element.remove());
    this.drawn.clear();
    this.refresh();
  }

  refresh() {
    const MARGIN = 6; // rows above and below, so that scrolling does not show gaps
    const first = Math.max(0, Math.floor(this.box.scrollTop / this.height) - MARGIN);
    const last = Math.min(this.items.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / this.height) + MARGIN);
    for (const [place, element] of this.drawn) {
      if (place < first || place >= last) {
        element.remove();
        this.drawn.delete(place);
      }
    }
    for (let place = first; place < last; place++) {
      if (!this.drawn.has(place)) this.add(place);
    }
  }

  add(place) {
    const element = this.draw(this.items[place], place);
    element.id = `row-${place}`;
    element.style.top = `${place * this.height}px`;
    element.style.height = `${this.height}px`;
    element.setAttribute("role", "option");
    element.setAttribute("aria-setsize", this.items.length);
    element.setAttribute("aria-posinset", place + 1);
    element.setAttribute("aria-selected", place === this.active);
    this.drawn.set(place, element);
    this.sheet.append(element);
  }

  /** Make a place the active one, and bring it into view. */
  activate(place) {
    this.drawn.get(this.active)?.setAttribute("aria-selected", "false");
    this.active = place;
    const top = place * this.height;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    const bottom = top + this.height - this.box.clientHeight;
    if (bottom > this.box.scrollTop) this.box.scrollTop = bottom;
    this.refresh();
    this.drawn.get(place)?.setAttribute("aria-selected", "true");
    if (place >= 0) this.box.setAttribute("aria-activedescendant", `row-${place}`);
  }
};

"use strict";

// Makes an element with attributes and children. Strings are inserted as text, never as HTML.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "tone") made.style.setProperty("--tone", value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter(child => child !== null && child !== undefined));
  return made;
}

// Columns: {title, words (left-aligned), wide, cell(row): text or element, key(row): the value to sort by}.
function plainTable(columns, rows, rowAttributes = () => ({})) {
  const side = column => [column.words && "words", column.wide && "wide"].filter(Boolean).join(" ") || null;
  return element("table", {},
    element("thead", {}, element("tr", {}, columns.map(c => element("th", {scope: "col", class: side(c)}, c.title)))),
    element("tbody", {}, rows.map(row =>
      element("tr", rowAttributes(row), columns.map(c => element("td", {class: side(c)}, c.cell(row)))))));
}

// Marks the box of a table as one that scrolls while part of the table is out of sight: a line of text above it, and a
// shadow on each side that hides something.
function showScrolling(box) {
  const cue = element("p", {class: "scroll-cue", "aria-hidden": "true", hidden: true});
  const sides = element("div", {class: "scroll-sides"});
  const frame = element("div", {class: "scroll-frame"}, cue, sides);
  box.replaceWith(frame);
  sides.append(box);
  const update = () => {
    const right = box.scrollLeft + box.clientWidth < box.scrollWidth - 1, left = box.scrollLeft > 1;
    cue.hidden = !left && !right;
    cue.textContent = right ? "scroll for more columns \u2192" : "\u2190 scroll back";
    sides.classList.toggle("more-right", right);
    sides.classList.toggle("more-left", left);
  };
  const sizes = new ResizeObserver(update);
  sizes.observe(box);
  new MutationObserver(() => {
    for (const child of box.children) sizes.observe(child);
    update();
  }).observe(box, {childList: true});
  box.addEventListener("scroll", update, {passive: true});
}

// A table of many rows, shown page by page and sorted by the column that was chosen last. Rows are numbers; the columns
// know what they stand for.
class SampleTable {
  constructor(place, pager, pageSize) {
    this.place = place;
    this.pager = pager;
    this.pageSize = pageSize;
    this.page = 0;
    this.sortBy = null;
    this.descending = false;
  }

  show(columns, rows) {
    this.columns = columns;
    this.all = rows;
    this.filter = () => true;
    this.update();
  }

  setFilter(filter) {
    this.filter = filter;
    this.page = 0;
    this.update();
  }

  update() {
    this.rows = this.all.filter(this.filter);
    const column = this.columns.find(c => c.title === this.sortBy);
    if (column) this.rows.sort((a, b) => this.compare(column.key(a), column.key(b)) || a - b);
    this.draw();
  }

  // Rows without a value come last in either direction.
  compare(a, b) {
    if (a === null || b === null) return (a === null) - (b === null);
    const order = a < b ? -1 : a > b ? 1 : 0;
    return this.descending ? -order : order;
  }

  sort(column) {
    this.descending = this.sortBy === column.title ? !this.descending : Boolean(column.largestFirst);
    this.sortBy = column.title;
    this.page = 0;
    this.update();
    this.place.querySelector("th[aria-sort$='ending'] button").focus();
  }

  draw() {
    const first = this.page * this.pageSize;
    const shown = this.rows.slice(first, first + this.pageSize);
    const table = plainTable(this.columns, shown);
    table.querySelectorAll("th").forEach((head, k) => {
      const column = this.columns[k];
      head.setAttribute("aria-sort", this.sortBy !== column.title ? "none" : this.descending ? "descending" : "ascending");
      head.replaceChildren(element("button", {type: "button", onclick: () => this.sort(column)}, column.title));
    });
    this.place.replaceChildren(this.rows.length ? table : element("p", {class: "empty", style: "padding: 0 1rem"}, "No sample matches the filters."));
    this.drawPager(first, shown.length);
  }

  drawPager(first, count) {
    const pages = Math.max(1, Math.ceil(this.rows.length / this.pageSize));
    const number = new Intl.NumberFormat("en-US");
    const button = (name, label, page) => element("button", {
      type: "button", "data-page": name, "aria-label": label, disabled: page < 0 || page >= pages || page === this.page,
      onclick: () => {
        this.page = page;
        this.draw();
        const again = this.pager.querySelector(`[data-page=${name}]`);
        (again.disabled ? this.place : again).focus();
      },
    }, {first: "\u00ab First", previous: "\u2039 Previous", next: "Next \u203a", last: "Last \u00bb"}[name]);
    this.pager.replaceChildren(
      button("first", "First page", 0), button("previous", "Previous page", this.page - 1),
      element("span", {role: "status"}, this.rows.length
        ? `${number.format(first + 1)}\u2013${number.format(first + count)} of ${number.format(this.rows.length)}` : "none"),
      button("next", "Next page", this.page + 1), button("last", "Last page", pages - 1));
  }
}

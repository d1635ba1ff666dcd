// Draws the part of a large table that is in sight, with few elements that are used again.

const ROW = 28; // pixels; as --row in grid.css
const TALLEST = 8_000_000; // pixels: browsers cap the height of an element
const SPARE = 4; // rows above and below those in sight
const MANY = 40; // columns; of more only those in sight are drawn
const SIDE = 400; // pixels beside those in sight

// Lets `shown`, elements by key, be those of the wanted keys, in their order. The element of `kept`
// is never moved: it would lose the focus.
function arrange(parent, shown, wanted, kept, make) {
  const keys = new Set(wanted);
  const spare = [...shown.keys()].filter((key) => !keys.has(key));
  for (const key of wanted) {
    if (shown.has(key)) continue;
    const old = spare.pop();
    shown.set(key, old === undefined ? make(key) : shown.get(old));
    if (old !== undefined) shown.delete(old);
  }
  for (const key of spare) {
    shown.get(key).remove();
    shown.delete(key);
  }
  const elements = wanted.map((key) => shown.get(key));
  const pivot = Math.max(0, wanted.indexOf(kept));
  if (elements[pivot] && elements[pivot].parentNode !== parent) parent.append(elements[pivot]);
  for (let at = pivot - 1; at >= 0; at--) {
    if (elements[at].nextSibling !== elements[at + 1]) elements[at + 1].before(elements[at]);
  }
  for (let at = pivot + 1; at < elements.length; at++) {
    if (elements[at].previousSibling !== elements[at - 1]) elements[at - 1].after(elements[at]);
  }
}

function element(role, className) {
  const made = document.createElement("div");
  made.setAttribute("role", role);
  made.className = className;
  return made;
}

export class GridView {
  // `columns` have a kind, a header and a width; `fill(cell, column, row)` says what a cell shows,
  // `fillRow(element, row)` what a row is; `rowAt(place)` is undefined where it is still to come.
  constructor(scroller, label, columns, { fill, fillRow, rowAt, onRange }) {
    Object.assign(this, { scroller, columns, fill, fillRow, rowAt, onRange });
    this.total = 0;
    this.place = 0; // of the cell that has, or will have, the focus
    this.column = 0;
    this.rows = new Map(); // the rows that are drawn, by place
    this.frame = 0;
    this.#lay(label);
    scroller.addEventListener("scroll", () => this.later(), { passive: true });
    new ResizeObserver(() => this.later()).observe(scroller);
    this.wide = matchMedia("(min-width: 44rem)");
    this.wide.addEventListener("change", () => this.#freeze());
    this.#freeze();
  }

  // Shows so many rows, from the top on.
  show(total) {
    this.total = total;
    this.table.setAttribute("aria-rowcount", total + 1);
    this.height = Math.min(total * ROW, TALLEST);
    this.body.style.height = `${this.height}px`;
    for (const row of this.rows.values()) row.shown = undefined;
    this.place = 0;
    this.scroller.scrollTop = 0;
    this.later();
  }

  // Draws with the next picture of the screen.
  later() {
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (!this.total) {
      arrange(this.body, this.rows, []);
      return;
    }
    const top = this.top;
    const from = Math.max(0, Math.floor(top) - SPARE);
    const to = Math.min(this.total, Math.ceil(top + this.sight) + SPARE);
    this.onRange(from, to);
    const places = Array.from({ length: to - from }, (_, at) => from + at);
    if (this.place < from) places.unshift(this.place);
    if (this.place >= to) places.push(this.place);
    arrange(this.body, this.rows, places, this.place, () => this.#newRow());
    const columns = this.#columnsInSight();
    arrange(this.head, this.headers, columns, 0, (at) => this.#newHeader(at));
    for (const at of columns) this.#drawHeader(this.headers.get(at), at);
    for (const [place, row] of this.rows) this.#drawRow(row, place, top, columns);
  }

  // Makes a cell the one that has the focus, or will have it, and brings it into sight.
  moveTo(place, column, hasFocus) {
    this.place = Math.max(0, Math.min(place, this.total - 1));
    this.column = Math.max(0, Math.min(column, this.columns.length - 1));
    if (!this.total) return;
    const top = this.top;
    if (this.place < top) this.top = this.place;
    if (this.place > top + this.sight - 1) this.top = this.place - this.sight + 1;
    this.#bringColumn();
    this.draw();
    if (hasFocus) this.cell.focus({ preventScroll: true });
  }

  // The element of that cell.
  get cell() {
    return this.rows.get(this.place)?.cells.get(this.column);
  }

  // The place and column of a cell's element.
  placeOf(cell) {
    return [Number(cell.parentNode.dataset.place), Number(cell.dataset.column)];
  }

  // How many rows are in sight.
  get sight() {
    return Math.max(1, (this.scroller.clientHeight - this.header.offsetHeight) / ROW);
  }

  // The place of the row at the top; the bar's way stands for all rows but those in sight.
  get top() {
    return this.scroller.scrollTop * this.#scale();
  }

  set top(place) {
    this.scroller.scrollTop = place / this.#scale();
  }

  // Rows for a pixel of the bar's way.
  #scale() {
    const way = this.height - this.sight * ROW;
    return this.height < TALLEST ? 1 / ROW : (this.total - this.sight) / way;
  }

  #lay(label) {
    this.table = element("grid", "grid-table");
    this.table.setAttribute("aria-label", label);
    this.table.setAttribute("aria-colcount", this.columns.length);
    this.header = element("rowgroup", "grid-head");
    this.head = element("row", "grid-row");
    this.head.setAttribute("aria-rowindex", 1);
    this.body = element("rowgroup", "grid-body");
    this.headers = new Map();
    this.header.append(this.head);
    this.table.append(this.header, this.body);
    let left = 0;
    for (const column of this.columns) {
      column.left = left;
      left += column.width;
    }
    this.width = left;
    this.table.style.width = `${left}px`;
    this.scroller.replaceChildren(this.table);
  }

  // Columns at the left stay there; on a narrow screen only the first ones.
  #freeze() {
    for (const column of this.columns) {
      column.isFrozen = column.isFirst || (column.isFixed && this.wide.matches);
    }
    const frozen = this.columns.filter((column) => column.isFrozen);
    this.frozen = frozen.reduce((width, column) => width + column.width, 0);
    for (const row of this.rows.values()) row.shown = undefined;
    this.headers.clear();
    this.head.replaceChildren();
    this.later();
  }

  #columnsInSight() {
    const all = this.columns.map((_, at) => at);
    if (all.length <= MANY) return all;
    const { scrollLeft, clientWidth } = this.scroller;
    return all.filter((at) => {
      const { left, width, isFixed } = this.columns[at];
      const isNear = left + width > scrollLeft - SIDE && left < scrollLeft + clientWidth + SIDE;
      return isFixed || isNear || at === this.column;
    });
  }

  #bringColumn() {
    const { left, width, isFrozen } = this.columns[this.column];
    const { scrollLeft, clientWidth } = this.scroller;
    if (isFrozen) return;
    if (left < scrollLeft + this.frozen) this.scroller.scrollLeft = left - this.frozen;
    else if (left + width > scrollLeft + clientWidth) {
      this.scroller.scrollLeft = Math.min(left - this.frozen, left + width - clientWidth);
    }
  }

  #newRow() {
    const row = element("row", "grid-row");
    row.cells = new Map();
    return row;
  }

  #newHeader() {
    return element("columnheader", "grid-cell");
  }

  #drawHeader(cell, at) {
    if (cell.column === at) return;
    this.#put(cell, at);
    if (this.columns[at].label) cell.setAttribute("aria-label", this.columns[at].label);
    cell.className = `grid-cell ${this.columns[at].isFrozen ? "frozen" : ""}`;
    const letters = document.createElement("span");
    letters.textContent = this.columns[at].letters;
    cell.replaceChildren(letters, this.columns[at].header);
  }

  #put(cell, at) {
    const { left, width, isFixed } = this.columns[at];
    cell.column = at;
    cell.dataset.column = at;
    cell.setAttribute("aria-colindex", at + 1);
    cell.style.left = `${left}px`;
    cell.style.width = `${width}px`;
    cell.style.position = isFixed ? "" : "absolute";
  }

  #drawRow(row, place, top, columns) {
    const offset = this.scroller.scrollTop + (place - top) * ROW;
    row.style.top = `${Math.max(0, Math.min(offset, this.height - ROW))}px`;
    const of = this.rowAt(place);
    const isSame = row.place === place && row.shown === of && row.columns === columns.join();
    if (!isSame || !of) {
      row.place = place;
      row.dataset.place = place;
      row.setAttribute("aria-rowindex", place + 2);
      row.classList.toggle("waiting", !of);
      row.setAttribute("aria-busy", !of);
      const kept = place === this.place ? this.column : columns[0];
      const make = (at) => element(this.columns[at].role, "grid-cell");
      arrange(row, row.cells, columns, kept, make);
      for (const [at, cell] of row.cells) {
        if (cell.column !== at || !row.shown) this.#put(cell, at);
        this.fill(cell, this.columns[at], of);
        cell.classList.toggle("frozen", this.columns[at].isFrozen);
      }
      row.shown = of;
      row.columns = columns.join();
    }
    this.fillRow(row, of);
    for (const [at, cell] of row.cells) {
      const isActive = place === this.place && at === this.column;
      if (cell.tabIndex !== (isActive ? 0 : -1) || !cell.hasAttribute("tabindex")) {
        cell.tabIndex = isActive ? 0 : -1;
      }
    }
  }
}

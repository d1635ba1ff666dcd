// Draws the part of a large table that is in sight, with few elements that are used again.

const ROW = 28; // pixels; as --row in grid.css
const TALLEST = 8_000_000; // pixels: browsers cap the height of an element
const SPARE = 4; // rows above and below those in sight
const MANY = 40; // columns; of more only those in sight are drawn
const SIDE = 400; // pixels beside those in sight
const BORDERS = 6; // pixels of a cell, and one to spare
const [NARROWEST, WIDEST] = [40, 1200]; // pixels of a column

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
    this.wide.addEventListener("change", () => this.#arrangeColumns());
    this.#arrangeColumns();
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
    const columns = this.#columnsInSight();
    arrange(this.head, this.headers, columns, 0, () => element("columnheader", "grid-cell"));
    for (const at of columns) this.#drawHeader(this.headers.get(at), at);
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
    const origin = this.scroller.scrollTop - top * ROW; // asked for once, before all is moved
    for (const [place, row] of this.rows) this.#drawRow(row, place, origin, columns);
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

  // Gives a column another width.
  resize(at, width) {
    this.columns[at].width = Math.round(Math.max(NARROWEST, Math.min(width, WIDEST)));
    this.#arrangeColumns();
    this.draw();
  }

  // Makes a column as wide as what it shows at the moment.
  fit(at) {
    this.resize(at, 0);
    const rows = [...this.rows.values()].map((row) => row.cells);
    const shown = [this.headers, ...rows].map((cells) => cells.get(at)?.scrollWidth ?? 0);
    this.resize(at, Math.max(...shown) + BORDERS);
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
    this.scroller.replaceChildren(this.table);
  }

  // Says where each column is. Some do not leave the sight at the left once they have come there: on
  // a narrow screen only the first ones. `gap` is what lies between such a column and the last of
  // them, `stop` where it stays.
  #arrangeColumns() {
    let [left, end, stop] = [0, 0, 0];
    for (const column of this.columns) {
      const isFrozen = Boolean(column.isFirst || (column.isFixed && this.wide.matches));
      Object.assign(column, { left, stop, isFrozen, gap: left - end });
      left += column.width;
      if (!isFrozen) continue;
      end = left;
      stop += column.width;
    }
    this.table.style.width = `${left}px`;
    this.arranged = (this.arranged ?? 0) + 1; // cells that were put before have to be put again
    this.later();
  }

  #columnsInSight() {
    const all = this.columns.map((_, at) => at);
    if (all.length <= MANY) return all;
    const { scrollLeft, clientWidth } = this.scroller;
    return all.filter((at) => {
      const { left, width, isFrozen } = this.columns[at];
      const isNear = left + width > scrollLeft - SIDE && left < scrollLeft + clientWidth + SIDE;
      return isFrozen || isNear || at === this.column;
    });
  }

  #bringColumn() {
    const { left, width, stop, isFrozen } = this.columns[this.column];
    const { scrollLeft, clientWidth } = this.scroller;
    if (left < scrollLeft + stop && !isFrozen) this.scroller.scrollLeft = left - stop;
    else if (left + width > scrollLeft + clientWidth) {
      this.scroller.scrollLeft = Math.min(left - stop, left + width - clientWidth);
    }
  }

  #newRow() {
    const row = element("row", "grid-row");
    row.cells = new Map();
    return row;
  }

  #drawHeader(cell, at) {
    const { label, letters, header } = this.columns[at];
    if (cell.column !== at) {
      if (label) cell.setAttribute("aria-label", label);
      const [above, edge] = ["span", "div"].map((tag) => document.createElement(tag));
      above.textContent = letters;
      edge.className = "grid-edge";
      cell.replaceChildren(above, header, edge);
    }
    this.#put(cell, at);
  }

  #put(cell, at) {
    const { left, gap, stop, width, isFrozen } = this.columns[at];
    cell.classList.toggle("frozen", isFrozen);
    if (cell.column === at && cell.arranged === this.arranged) return;
    cell.column = at;
    cell.arranged = this.arranged;
    cell.dataset.column = at;
    cell.setAttribute("aria-colindex", at + 1);
    cell.style.position = isFrozen ? "sticky" : "absolute";
    cell.style.left = `${isFrozen ? stop : left}px`;
    cell.style.marginLeft = isFrozen ? `${gap}px` : "";
    cell.style.width = `${width}px`;
  }

  // `origin` is where the first row of all would be.
  #drawRow(row, place, origin, columns) {
    const offset = origin + place * ROW;
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
      for (const [at, cell] of row.cells) this.fill(cell, this.columns[at], of);
      row.shown = of;
      row.columns = columns.join();
    }
    this.fillRow(row, of);
    for (const [at, cell] of row.cells) {
      this.#put(cell, at);
      const isActive = place === this.place && at === this.column;
      if (cell.tabIndex !== (isActive ? 0 : -1) || !cell.hasAttribute("tabindex")) {
        cell.tabIndex = isActive ? 0 : -1;
      }
    }
  }
}

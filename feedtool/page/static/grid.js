// The grid of a checked sheet: <div data-grid='{…}'>, see grid_part.py for what is in it.
// What it says to people stands in the page already, or comes from the server.
import { RowRanges } from "./grid_ranges.js";
import { RowPages } from "./grid_rows.js";
import { GridView } from "./grid_view.js";
import { startWidths } from "./grid_widths.js";

const LETTER = 7.9; // pixels
const [NARROWEST, WIDEST] = [64, 300];
const CLASSES = { row: "grid-number", status: "", tick: "grid-tick", cell: "" };
const AGAIN = 3000; // milliseconds until rows that could not be had are asked for again

class Grid {
  constructor(mount) {
    this.mount = mount;
    this.facts = JSON.parse(mount.dataset.grid);
    this.texts = this.facts.texts;
    this.bar = mount.querySelector(".grid-bar");
    this.status = mount.querySelector("[role=status]");
    this.counted = this.status.textContent;
    this.links = [...mount.querySelectorAll("a[data-which]")];
    this.input = document.querySelector("input[data-ticked]");
    this.ticks = this.input && new RowRanges(this.input.value);
    this.pages = new RowPages(this.facts, () => this.#onRows(), () => this.#onFailure());
    const scroller = mount.querySelector(".grid-scroll");
    scroller.hidden = this.bar.hidden = mount.querySelector(".grid-tools").hidden = false;
    this.view = new GridView(scroller, this.texts.rows, this.#columns(), {
      fill: (...cell) => this.#fill(...cell),
      fillRow: (...row) => this.#fillRow(...row),
      rowAt: (place) => this.pages.row(place),
      onRange: (from, to) => this.pages.want(from, to),
    });
    this.firstCell = this.view.columns.findIndex((column) => column.kind === "cell");
    this.rowHeader = this.view.columns.findIndex((column) => column.kind === "row");
    this.view.show(this.facts.total);
    this.view.moveTo(this.facts.start, Math.max(this.firstCell, 0));
    this.#listen();
    startWidths(this.view, mount.querySelectorAll("[data-width]"));
    if (this.input) this.#startTicks();
  }

  #columns() {
    const { columns, reference, statuses, texts } = this.facts;
    const longest = Math.max(texts.status.length, ...statuses.map((word) => word.length));
    const own = [
      { kind: "row", role: "rowheader", header: texts.row, width: 72, isFirst: true },
      { kind: "status", role: "gridcell", header: texts.status, width: widthOf(longest + 4) },
    ];
    if (this.input) {
      const label = texts.tick;
      const tick = { kind: "tick", role: "gridcell", header: "✓", width: 40 };
      own.unshift({ ...tick, label, isFirst: true });
    }
    const cells = columns.map(([letters, header, width], index) => ({
      kind: "cell", role: "gridcell", letters, header, index, isFixed: index === reference,
      width: widthOf(Math.max(width, Math.min(1.1 * header.length, 26))),
    }));
    return [...own.map((column) => ({ letters: "", isFixed: true, ...column })), ...cells];
  }

  // What a cell shows.
  #fill(cell, column, row) {
    const worst = row && worstIn(row, column);
    const texts = { row: row?.row ?? "…", status: row?.status, cell: row?.cells[column.index] };
    cell.className = `grid-cell ${CLASSES[column.kind]} ${worst ?? ""}`;
    if (worst === "error") cell.setAttribute("aria-invalid", "true");
    else cell.removeAttribute("aria-invalid");
    const text = `${texts[column.kind] ?? ""}`;
    if (column.kind === "status" && text) {
      const badge = document.createElement("span");
      badge.className = `badge ${row.outcome}`;
      badge.textContent = text;
      cell.replaceChildren(badge);
    } else if (cell.textContent !== text || cell.firstElementChild) cell.textContent = text;
  }

  // What a row is.
  #fillRow(element, row) {
    element.classList.toggle("is-hidden", Boolean(row?.hidden));
    if (this.ticks) element.setAttribute("aria-selected", Boolean(row) && this.ticks.has(row.row));
  }

  #onRows() {
    if (this.hasFailed && this.pages.row(this.view.place)) {
      this.hasFailed = false;
      this.#say(this.counted);
    }
    this.view.draw();
    this.#tell();
  }

  #onFailure() {
    this.hasFailed = true;
    this.#say(this.texts.failed);
    setTimeout(() => this.view.later(), AGAIN);
  }

  #listen() {
    const { body } = this.view;
    body.addEventListener("keydown", (event) => this.#onKey(event));
    body.addEventListener("focusin", (event) => {
      const [place, column] = this.view.placeOf(event.target.closest(".grid-cell"));
      if (place !== this.view.place || column !== this.view.column) this.#moveTo(place, column);
    });
    this.bar.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      this.#moveTo(this.view.place, this.view.column);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "F8" || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      this.#step(event.shiftKey ? -1 : 1);
    });
    for (const button of this.mount.querySelectorAll("[data-step]")) {
      button.addEventListener("click", () => this.#step(Number(button.dataset.step)));
    }
    for (const link of this.links) {
      link.addEventListener("click", (event) => this.#onLink(event, link));
    }
    addEventListener("popstate", () => this.#onAddress());
    this.mount.querySelector("[data-find]").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#find(event.target.elements.q.value);
    });
  }

  #onKey(event) {
    if (event.altKey || event.metaKey || event.shiftKey) return;
    const { place, column, total, sight, columns } = this.view;
    const page = Math.max(1, Math.floor(sight) - 1);
    const last = columns.length - 1;
    const moves = {
      ArrowUp: [place - 1, column],
      ArrowDown: [place + 1, column],
      ArrowLeft: [place, column - 1],
      ArrowRight: [place, column + 1],
      PageUp: [place - page, column],
      PageDown: [place + page, column],
      Home: [event.ctrlKey ? 0 : place, 0],
      End: [event.ctrlKey ? total - 1 : place, last],
    };
    if (event.key in moves && (!event.ctrlKey || event.key === "Home" || event.key === "End")) {
      this.#moveTo(...moves[event.key]);
    } else if (event.key === "Enter" && !event.ctrlKey) {
      this.bar.focus();
    } else if (event.key === " " && this.ticks) {
      this.#toggle(place);
    } else return;
    event.preventDefault();
  }

  #moveTo(place, column) {
    this.hasMoved = true; // before that, the first problem is the next
    this.view.moveTo(place, column, true);
    this.#tell();
  }

  // Goes to the next cell with a problem of the filter, or to the one before.
  async #step(step) {
    const { place, column } = this.view;
    const row = this.hasMoved ? this.pages.row(place) : undefined;
    const here = row ? this.#wrongColumns(row) : [];
    const beyond = here.filter((at) => (step > 0 ? at > column : at < column));
    if (beyond.length) {
      this.#moveTo(place, beyond.at(step > 0 ? 0 : -1));
      return;
    }
    const at = row ? row.at : -1;
    const answer = await this.#ask("next", { at, step });
    if (!answer) return;
    if (answer.found) await this.#moveToProblem(answer.found.place, step);
    else this.#say(this.texts.none);
  }

  async #moveToProblem(place, step) {
    this.view.moveTo(place, this.firstCell);
    const { which } = this.pages;
    const row = await this.pages.ready(place);
    if (which !== this.pages.which || place !== this.view.place) return; // one has gone on
    const wrong = row ? this.#wrongColumns(row) : [];
    this.#moveTo(place, wrong.at(step > 0 ? 0 : -1) ?? this.rowHeader);
  }

  // The columns of the cells of a row that the filter is about, from left to right.
  #wrongColumns(row) {
    const [kind, code] = split(this.pages.which);
    const found = row.problems.filter((problem) => {
      if (kind === "code") return problem.code === code;
      return kind === problem.severity || (kind !== "error" && kind !== "warning");
    });
    const columns = found.map((problem) => (
      problem.column === null ? this.rowHeader : problem.column + this.firstCell));
    return [...new Set(columns)].sort((one, other) => one - other);
  }

  async #find(text) {
    if (!text.trim()) return;
    const from = this.view.total ? (this.view.place + 1) % this.view.total : 0;
    const answer = await this.#ask("find", { q: text, from });
    if (!answer) return;
    if (answer.found) this.#moveTo(answer.found.place, answer.found.column + this.firstCell);
    else this.#say(this.texts.missing);
  }

  async #ask(what, values) {
    try {
      return await this.pages.ask(what, values);
    } catch {
      this.#say(this.texts.failed);
      return null;
    }
  }

  #onLink(event, link) {
    if (event.button || event.ctrlKey || event.shiftKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    history.pushState(null, "", link.href);
    this.#filter(link);
  }

  // The address has become another one of the history.
  #onAddress() {
    const which = new URLSearchParams(location.search).get("which") ?? "all";
    const link = this.links.find((other) => other.dataset.which === which);
    if (link) this.#filter(link);
    else location.reload();
  }

  // Shows the rows of a link, and goes to the first problem of them.
  async #filter(link) {
    const { which, rows, counted } = link.dataset;
    for (const other of this.links) {
      if (other === link) other.setAttribute("aria-current", "true");
      else other.removeAttribute("aria-current");
    }
    this.pages.filter(which);
    this.view.show(Number(rows));
    this.counted = counted;
    this.#say(counted);
    this.view.moveTo(0, this.firstCell);
    this.#tell();
    if (Number(rows)) await this.#moveToProblem(0, 1);
  }

  #say(text) {
    this.status.textContent = text;
  }

  // Says below the grid what is known of the cell.
  #tell() {
    const { place, column, columns, cell, total } = this.view;
    const row = this.pages.row(place);
    if (this.told === row && this.toldColumn === column) return;
    this.told = row;
    this.toldColumn = column;
    if (!total) {
      this.bar.replaceChildren();
      return;
    }
    const { index, letters, header } = columns[column];
    const own = row?.problems.filter((problem) => problem.column === index) ?? [];
    const problems = own.length ? own : row?.problems ?? [];
    const number = row?.row ?? "";
    const isCell = index !== undefined;
    const name = isCell ? `${letters}${number} ${header}` : `${this.texts.row} ${number}`;
    const title = made("p", made("strong", name), " ", made("span", row?.cells[index] ?? ""));
    const notes = [...(row?.notes ?? []), ...(row?.hidden ? [this.texts.hidden] : [])];
    this.bar.replaceChildren(
      title,
      ...problems.map((problem) => this.#line(problem, own.length === 0)),
      ...notes.map((note) => made("p", note)),
    );
    for (const former of this.view.body.querySelectorAll("[aria-describedby]")) {
      former.removeAttribute("aria-describedby");
    }
    if (problems.length || notes.length) cell?.setAttribute("aria-describedby", this.bar.id);
  }

  #line({ place, code, severity, message, hint, is_explained: isExplained }, hasPlace) {
    const word = made("strong", this.texts[severity]);
    word.className = severity;
    const said = `${hasPlace && place ? `${place}${this.texts.colon} ` : ""}${message}${hint ? `. ${hint}` : ""}`;
    const line = made("p", word, " ", made("code", code), " ", said);
    if (isExplained && this.facts.explain) {
      const link = made("a", this.texts.meaning);
      link.href = this.facts.explain.replace("CODE", encodeURIComponent(code));
      line.append(" ", link);
    }
    return line;
  }

  #startTicks() {
    const { body, table } = this.view;
    table.setAttribute("aria-multiselectable", "true");
    this.mount.querySelector(".grid-ticks").hidden = false;
    body.addEventListener("click", (event) => {
      const cell = event.target.closest(".grid-tick");
      if (cell) this.#toggle(this.view.placeOf(cell)[0]);
    });
    this.input.addEventListener("change", () => {
      this.ticks = new RowRanges(this.input.value);
      this.view.draw();
    });
    this.mount.querySelector("[data-tick=all]").addEventListener("click", async () => {
      const answer = await this.#ask("numbers", {});
      if (answer) this.ticks.add(answer.rows);
      this.#ticked();
    });
    this.mount.querySelector("[data-tick=none]").addEventListener("click", () => {
      this.ticks.clear();
      this.#ticked();
    });
  }

  #toggle(place) {
    const row = this.pages.row(place);
    if (!row) return;
    this.ticks.toggle(row.row);
    this.#ticked();
  }

  // Lets the form know which rows are ticked, and that they are what is meant.
  #ticked() {
    this.input.value = this.ticks.toString();
    const choice = document.getElementById(this.input.dataset.ticked);
    if (choice) choice.checked = true;
    const { sheet } = this.input.form.elements;
    if (sheet) sheet.value = this.facts.name;
    const count = this.ticks.size.toLocaleString(document.documentElement.lang);
    this.#say(`${this.texts.ticked}${this.texts.colon} ${count}`);
    this.input.form.dispatchEvent(new Event("change"));
    this.view.draw();
  }
}

function widthOf(letters) {
  return Math.round(Math.max(NARROWEST, Math.min(WIDEST, letters * LETTER + 26)));
}

// How bad a cell is; the row itself stands for what is about none of its cells.
function worstIn(row, column) {
  if (column.kind !== "cell" && column.kind !== "row") return undefined;
  const index = column.index ?? null;
  const found = row.problems.filter((problem) => problem.column === index);
  return found.find((problem) => problem.severity === "error")?.severity ?? found[0]?.severity;
}

// The kind of a filter, and the code of `code:CODE`.
function split(which) {
  const at = which.indexOf(":");
  return at < 0 ? [which, ""] : [which.slice(0, at), which.slice(at + 1)];
}

function made(tag, ...children) {
  const element = document.createElement(tag);
  element.append(...children);
  return element;
}

for (const mount of document.querySelectorAll("[data-grid]")) new Grid(mount);

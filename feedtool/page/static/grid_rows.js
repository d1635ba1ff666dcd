// The rows of a filter, brought from the server a page at a time and kept for a while.

const PAGE = 100; // rows
const KEPT = 40; // pages

export class RowPages {
  // `facts` has the address, and the sheet, view and filter; `onChange` is called when rows came.
  constructor(facts, onChange, onFailure) {
    this.facts = facts;
    this.onChange = onChange;
    this.onFailure = onFailure;
    this.filter(facts.which);
  }

  // Forgets all rows: from now on those of another filter are wanted.
  filter(which) {
    for (const load of this.loads?.values() ?? []) load.stop.abort();
    this.which = which;
    this.pages = new Map(); // the page that was used last is the last
    this.loads = new Map();
  }

  // A row by its place in the filter; undefined while it is not there.
  row(place) {
    return this.pages.get(Math.floor(place / PAGE))?.[place % PAGE];
  }

  // Brings the rows of some places, and stops bringing others.
  want(from, to) {
    const wanted = new Set();
    for (let page = Math.floor(from / PAGE); page * PAGE < to; page++) wanted.add(page);
    for (const [page, load] of this.loads) if (!wanted.has(page)) load.stop.abort();
    for (const page of wanted) {
      const rows = this.pages.get(page);
      if (rows) {
        this.pages.delete(page);
        this.pages.set(page, rows);
      } else if (!this.loads.has(page)) {
        this.#load(page);
      }
    }
  }

  // The row at a place, once it is there; undefined if it is no longer wanted.
  async ready(place) {
    const page = Math.floor(place / PAGE);
    if (!this.pages.has(page) && !this.loads.has(page)) this.#load(page);
    await this.loads.get(page)?.done;
    return this.row(place);
  }

  // What the server answers about the filter: `next`, `find`, `numbers`.
  async ask(what, values) {
    const which = this.which;
    const answer = await this.#fetch(what, values);
    return which === this.which ? answer : null;
  }

  #load(page) {
    const stop = new AbortController();
    const loads = this.loads; // of this filter: another one has others
    const done = this.#fetch("rows", { from: page * PAGE, count: PAGE }, stop.signal)
      .then((answer) => {
        if (loads !== this.loads) return;
        this.pages.set(page, answer.rows);
        for (const old of this.pages.keys()) {
          if (this.pages.size <= KEPT) break;
          this.pages.delete(old);
        }
      })
      .catch((error) => {
        if (error.name !== "AbortError" && loads === this.loads) this.onFailure();
      })
      .finally(() => {
        if (loads.get(page)?.stop === stop) loads.delete(page);
        if (loads === this.loads) this.onChange();
      });
    loads.set(page, { stop, done });
  }

  async #fetch(what, values, signal) {
    const { address, sheet, view } = this.facts;
    const asked = new URLSearchParams({ sheet, view, which: this.which, ...values });
    const answer = await fetch(`${address}/${what}?${asked}`, { signal });
    if (!answer.ok) throw new Error(answer.statusText);
    return answer.json();
  }
}

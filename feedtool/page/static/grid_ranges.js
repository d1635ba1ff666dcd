// Numbers of rows that are ticked, as a text: 2-5,9,40-

export class RowRanges {
  constructor(text = "") {
    this.pairs = [];
    this.add(text);
  }

  // Adds the rows of a text; what is no number is left out.
  add(text) {
    for (const part of text.split(/[,\s]+/)) {
      const match = /^([1-9]\d{0,8})(-(\d{1,9})?)?$/.exec(part);
      if (!match) continue;
      const first = Number(match[1]);
      this.#join(first, match[2] ? Number(match[3] ?? Infinity) : first);
    }
  }

  has(row) {
    let low = 0;
    let high = this.pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.pairs[middle][1] < row) low = middle + 1;
      else high = middle;
    }
    return low < this.pairs.length && this.pairs[low][0] <= row;
  }

  // Ticks a row, or takes its tick away.
  toggle(row) {
    if (!this.has(row)) {
      this.#join(row, row);
      return;
    }
    this.pairs = this.pairs.flatMap(([first, last]) => (row < first || last < row
      ? [[first, last]]
      : [[first, row - 1], [row + 1, last]].filter(([low, high]) => low <= high)));
  }

  // The number of rows.
  get size() {
    return this.pairs.reduce((size, [first, last]) => size + last - first + 1, 0);
  }

  clear() {
    this.pairs = [];
  }

  toString() {
    return this.pairs.map(([first, last]) => {
      if (last === Infinity) return `${first}-`;
      return first === last ? `${first}` : `${first}-${last}`;
    }).join(",");
  }

  #join(first, last) {
    const pairs = [...this.pairs, [first, last]].sort((one, other) => one[0] - other[0]);
    this.pairs = [];
    for (const [low, high] of pairs) {
      const before = this.pairs.at(-1);
      if (before && low <= before[1] + 1) before[1] = Math.max(before[1], high);
      else this.pairs.push([low, high]);
    }
  }
}

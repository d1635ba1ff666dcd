"use strict";
// On paper there is nothing to unfold, and a link leads to what it names.
const unfold = (folded) => {
  if (folded instanceof HTMLDetailsElement) folded.open = true;
};
window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(unfold));
window.addEventListener("hashchange", () => unfold(document.getElementById(location.hash.slice(1))));
// Shows or hides the rows of a status. Without this script all rows are shown.
for (const filter of document.querySelectorAll("fieldset.filter")) {
  const rows = filter.parentElement.querySelectorAll("tbody tr");
  const apply = () => {
    const shown = new Set(
      [...filter.querySelectorAll("input:checked")].map((box) => box.value),
    );
    for (const row of rows) row.hidden = !shown.has(row.dataset.status);
  };
  filter.addEventListener("change", apply);
  filter.hidden = false;
  apply();
}

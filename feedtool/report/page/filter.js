"use strict";
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

"use strict";
// Says what the field is that is chosen for a column, as the list of fields has it.
for (const select of document.querySelectorAll("select[data-help]")) {
  const help = document.getElementById(select.dataset.help);
  select.addEventListener("change", () => {
    help.textContent = document.getElementById(`help-${select.value}`)?.textContent ?? "";
  });
}

"use strict";
// What is sent is what is on the screen: <form data-planned="ID"> sends the plan that was made of the
// form with the id, and sends nothing while that says something else.
for (const sending of document.querySelectorAll("[data-planned]")) {
  const choices = document.getElementById(sending.dataset.planned);
  const said = () => new URLSearchParams(new FormData(choices)).toString();
  const [planned, button] = [said(), sending.querySelector("button.main")];
  const isOff = button.disabled; // whatever is chosen
  const look = () => {
    const isOther = said() !== planned;
    button.disabled = isOff || isOther;
    for (const part of document.querySelectorAll("[data-otherwise]")) part.hidden = !isOther;
    for (const part of document.querySelectorAll("[data-as-planned]")) part.hidden = isOther;
  };
  for (const kind of ["input", "change"]) choices.addEventListener(kind, look);
}

// Rows that are typed are the ones that are meant.
for (const rows of document.querySelectorAll("input[data-ticked]")) {
  rows.addEventListener("input", () => { document.getElementById(rows.dataset.ticked).checked = true; });
}

"use strict";
// Brings a file as soon as it is dropped anywhere on the page, with its progress.
const form = document.querySelector("form[data-drop]");
if (form) {
  const status = form.querySelector("[data-status]");
  const bar = form.querySelector("progress");
  const button = form.querySelector("button");

  const failed = (message) => {
    status.textContent = message;
    status.className = "bad";
    bar.hidden = true;
    button.disabled = false;
  };

  const send = (file) => {
    const facts = new URLSearchParams();
    for (const name of ["account", "replaces"]) {
      if (form.elements[name]) facts.set(name, form.elements[name].value);
    }
    const address = form.dataset.drop.replace("NAME", encodeURIComponent(file.name));
    const request = new XMLHttpRequest(); // fetch does not tell of an upload's progress
    request.open("PUT", `${address}?${facts}`);
    request.upload.onprogress = (event) => { bar.value = event.loaded / event.total; };
    request.onload = () => {
      if (request.status === 201) location.assign(JSON.parse(request.response).address);
      else failed(new DOMParser().parseFromString(request.response, "text/html").querySelector("main")?.innerText ?? form.dataset.failed);
    };
    request.onerror = () => failed(form.dataset.failed);
    status.textContent = form.dataset.sending;
    status.className = "";
    bar.hidden = false;
    button.disabled = true;
    request.send(file);
  };

  form.addEventListener("submit", (event) => {
    const [file] = form.elements.file.files;
    if (!file) return;
    event.preventDefault();
    send(file);
  });
  let depth = 0;
  const over = (step) => { depth = Math.max(0, depth + step); document.body.classList.toggle("over", depth > 0); };
  document.addEventListener("dragenter", () => over(1));
  document.addEventListener("dragleave", () => over(-1));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    over(-Infinity);
    const [file] = event.dataTransfer.files;
    if (file) send(file);
  });
}

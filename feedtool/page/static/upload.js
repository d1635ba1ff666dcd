"use strict";
// Brings files as soon as they are dropped anywhere on the page, also in folders, with their progress.
const forms = [...document.querySelectorAll("form[data-drop]")];
const [ofSheet, ofNamed] = [true, false].map((is) => forms.find((form) => "tables" in form.dataset === is));
const ofSystems = /^\.|^(thumbs\.db|desktop\.ini)$/i;

const isTable = (file) => ofSheet.dataset.tables.split(" ").some((end) => file.name.toLowerCase().endsWith(end));

const failed = (form, message) => {
  const status = form.querySelector("[data-status]");
  status.textContent = message || form.dataset.failed;
  status.className = "bad";
  form.querySelector("progress").hidden = true;
  form.querySelector("button").disabled = false;
};

const reasonIn = (page) => {
  const lines = new DOMParser().parseFromString(page, "text/html").querySelectorAll("main h1, main p:not(:has(a))");
  return [...lines].map((line) => line.textContent.trim()).join(". ");
};

const put = (address, file, tell) => new Promise((done, refuse) => {
  const request = new XMLHttpRequest(); // fetch does not tell of an upload's progress
  request.open("PUT", address);
  request.upload.onprogress = (event) => tell(event.loaded);
  request.onload = () => {
    if (request.status === 201) done(JSON.parse(request.response));
    else refuse(new Error(reasonIn(request.response)));
  };
  request.onerror = () => refuse(new Error(""));
  request.send(file);
});

// The sheet goes first, and its answer says where the files go that its cells name.
const bring = async (form, given) => {
  const files = given.filter((file) => given.length === 1 || !ofSystems.test(file.name));
  const tables = form === ofSheet ? files.filter(isTable) : [];
  if (files.length > 1 && tables.length > 1) return failed(form, form.dataset.several);
  if (new Set(files.map((file) => file.name.toLowerCase())).size < files.length) return failed(form, form.dataset.twice);
  const facts = new URLSearchParams(files.length > 1 ? { more: "1" } : {});
  for (const name of ["account", "replaces"]) {
    if (form.elements[name]) facts.set(name, form.elements[name].value);
  }
  const bar = form.querySelector("progress");
  const status = form.querySelector("[data-status]");
  status.textContent = form.dataset.sending;
  status.className = "";
  bar.hidden = false;
  form.querySelector("button").disabled = true;
  const all = files.reduce((sum, file) => sum + file.size, 0) || 1;
  let [place, address, sent] = [form.dataset.drop, location.href, 0];
  try {
    for (const file of [...tables, ...files.filter((other) => !tables.includes(other))]) {
      const answer = await put(`${place.replace(/NAME$/, encodeURIComponent(file.name))}?${facts}`, file, (loaded) => { bar.value = (sent + loaded) / all; });
      [place, address, sent] = [answer.named, answer.address, sent + file.size];
    }
    location.assign(address);
  } catch (error) {
    failed(form, error.message);
  }
};

const filesIn = async (entry) => {
  if (entry.isFile) return [await new Promise((done, refuse) => entry.file(done, refuse))];
  const [reader, files] = [entry.createReader(), []];
  for (;;) {
    const entries = await new Promise((done, refuse) => reader.readEntries(done, refuse)); // some at a time
    if (!entries.length) return files;
    for (const inner of entries) files.push(...await filesIn(inner));
  }
};

const dropped = async (transfer) => {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  if (!entries.some((entry) => entry?.isDirectory)) return [...transfer.files];
  return (await Promise.all(entries.filter(Boolean).map(filesIn))).flat();
};

// A single table that is dropped beside the forms is a corrected one.
const formOf = (target, files) => target.closest?.("form[data-drop]") ?? (ofNamed && !(files.length === 1 && isTable(files[0])) ? ofNamed : ofSheet);

if (ofSheet) {
  for (const form of forms) {
    form.addEventListener("submit", (event) => {
      const files = [...form.elements.file.files];
      if (!files.length) return;
      event.preventDefault();
      bring(form, files);
    });
  }
  let depth = 0;
  const over = (step) => { depth = Math.max(0, depth + step); document.body.classList.toggle("over", depth > 0); };
  document.addEventListener("dragenter", () => over(1));
  document.addEventListener("dragleave", () => over(-1));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    over(-Infinity);
    const files = await dropped(event.dataTransfer);
    if (files.length) bring(formOf(event.target, files), files);
  });
}

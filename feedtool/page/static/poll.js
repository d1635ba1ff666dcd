"use strict";
// Waits for the work of feedtool, and looks once a second how far it is.
const PATIENCE = 2; // failures until it is said that feedtool does not answer
const main = document.getElementById("main");
const pause = () => new Promise((done) => setTimeout(done, 1000));

// The answer at an address. While feedtool does not answer, the page says so, and asks again.
const ask = async (address) => {
  const alert = document.createElement("p");
  alert.className = "notice bad";
  alert.setAttribute("role", "alert");
  alert.textContent = main.dataset.gone;
  for (let failures = 1; ; failures += 1) {
    try {
      const answer = await fetch(address, { headers: { "X-Requested-With": "poll" } });
      alert.remove();
      return answer;
    } catch {
      if (failures === PATIENCE) main.prepend(alert);
      await pause();
    }
  }
};

// Shows a text of the server in a part of the page.
const shownIn = (part) => {
  let [shown, announced] = [part.innerHTML, 0];
  return (text) => {
    if (text === shown) return;
    // Screen readers hear of it every ten seconds at most.
    const isQuiet = Date.now() - announced < 10000;
    part.setAttribute("aria-live", isQuiet ? "off" : "polite");
    announced = isQuiet ? announced : Date.now();
    part.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
    shown = text;
  };
};

// <div data-poll="ADDRESS"> shows what is at the address. The page is loaded anew when that says, by
// data-over, that it is at its end.
for (const part of document.querySelectorAll("[data-poll]")) {
  const show = shownIn(part);
  const look = async () => {
    for (;;) {
      await pause();
      const answer = await ask(part.dataset.poll);
      const text = answer.ok ? await answer.text() : "";
      if (text) show(text);
      if (answer.redirected || answer.status >= 400 || /data-over/.test(text)) break;
    }
    location.reload();
  };
  look();
}

// <a data-download> leads to a file that may have to be written first: the page says so beside the
// link, and saves the file then. Without scripts a page of its own waits.
for (const link of document.querySelectorAll("a[data-download]")) {
  let show = null;
  link.addEventListener("click", async (event) => {
    if (event.ctrlKey || event.shiftKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (show) return; // it is being waited for
    const part = document.createElement("div");
    show = shownIn(part);
    link.after(part);
    let answer = await ask(link.href);
    for (; answer.status === 202; answer = await ask(link.href)) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      show(page.querySelector("[data-poll]").innerHTML);
      await pause();
    }
    await answer.body?.cancel();
    part.remove();
    show = null;
    location.assign(link.href);
  });
}

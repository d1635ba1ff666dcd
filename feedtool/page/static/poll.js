"use strict";
// Waits for the work of feedtool, and looks once a second how far it is.
const pause = () => new Promise((done) => setTimeout(done, 1000));

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
    try {
      const answer = await fetch(part.dataset.poll, { headers: { "X-Requested-With": "poll" } });
      const text = answer.ok ? await answer.text() : "";
      if (text) show(text);
      if (answer.redirected || answer.status >= 400 || /data-over/.test(text)) {
        location.reload();
        return;
      }
    } catch {
      // The page's program has ended, or the network is away: look again later.
    }
    setTimeout(look, 1000);
  };
  setTimeout(look, 1000);
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
    try {
      let answer = await fetch(link.href);
      for (; answer.status === 202; answer = await fetch(link.href)) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        show(page.querySelector("[data-poll]").innerHTML);
        await pause();
      }
      await answer.body?.cancel();
    } catch {
      // The link itself shows what is wrong.
    }
    part.remove();
    show = null;
    location.assign(link.href);
  });
}

"use strict";
// Brings what has moved on into a part of the page: <div data-poll="ADDRESS">, once a second.
// The page is loaded anew when that part says, by data-over, that it is at its end.
for (const part of document.querySelectorAll("[data-poll]")) {
  let shown = part.innerHTML;
  let announced = 0;
  const look = async () => {
    try {
      const answer = await fetch(part.dataset.poll, { headers: { "X-Requested-With": "poll" } });
      const text = answer.ok && answer.status !== 204 ? await answer.text() : shown;
      if (answer.redirected || answer.status >= 400 || /data-over/.test(text)) {
        location.reload();
        return;
      }
      if (text !== shown) {
        // Screen readers hear of it every ten seconds at most.
        const isQuiet = Date.now() - announced < 10000;
        part.setAttribute("aria-live", isQuiet ? "off" : "polite");
        announced = isQuiet ? announced : Date.now();
        const fresh = new DOMParser().parseFromString(text, "text/html");
        part.replaceChildren(...fresh.body.childNodes);
        shown = text;
      }
    } catch {
      // The page's program has ended, or the network is away: look again later.
    }
    setTimeout(look, 1000);
  };
  setTimeout(look, 1000);
}

"use strict";
// Times are shown in the language of the page, as in the country of whoever looks, and in his zone.
const { lang } = document.documentElement;
const own = navigator.languages.find((one) => one.startsWith(lang)) ?? lang;
const clock = new Intl.DateTimeFormat(own, { dateStyle: "medium", timeStyle: "short" });
for (const time of document.querySelectorAll("time")) {
  time.textContent = clock.format(new Date(time.dateTime));
}

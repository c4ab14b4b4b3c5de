// Opens pages in headless Chromium at every width and in every medium, takes pictures of them, and prints what can be
// found out about them mechanically as JSON:
//
//     node tests/cli/pictures.mjs PACKAGES FOLDER NAME=PAGE.html ...
//
// PACKAGES is the folder that npm installed into. Pictures are FOLDER/NAME-SETTING.png, each of a whole page.
// tests/cli/report_pictures.py judges.
import {join} from "node:path";
import {pathToFileURL} from "node:url";

import {openBrowser} from "./browser.mjs";

const [packages, folder, ...pages] = process.argv.slice(2);
const browser = await openBrowser(packages, "--hide-scrollbars");

const SCREENS = [390, 768, 1300].flatMap(width => ["light", "dark"].map(scheme => ({name: `${width}-${scheme}`, width, scheme})));
// A4 with margins of 1 cm, in CSS pixels.
const PAPERS = [{name: "portrait", width: 718}, {name: "landscape", width: 1047}]
  .map(paper => ({...paper, name: `print-${paper.name}`, scheme: "dark", print: true}));

// Runs in the page. A fault is a short text that names the element.
function inspect({print}) {
  const seen = {faults: [], axes: {}, headline: 0};
  const name = e => `${e.tagName.toLowerCase()}${e.id ? `#${e.id}` : ""}${e.className && e.className.baseVal === undefined ? `.${e.className}` : ""} "${e.textContent.trim().slice(0, 40)}"`;
  const fault = (what, e) => seen.faults.push(`${what}: ${name(e)}`);
  const isShown = e => e.checkVisibility({visibilityProperty: true});
  const textBox = e => {
    const range = document.createRange();
    range.selectNodeContents(e);
    return range.getBoundingClientRect();
  };
  if (document.documentElement.scrollWidth > innerWidth) seen.faults.push(`the page is ${document.documentElement.scrollWidth} px wide`);

  for (const e of document.querySelectorAll("body *")) {
    const box = e.getBoundingClientRect();
    if (box.width > 0 && (box.right > innerWidth + 1 || box.left < -1) && (print || !e.closest(".scroller")) && !e.closest("svg, .skip") && isShown(e)) {
      fault("beyond the window", e);
    }
  }

  const clips = e => ["hidden", "clip", "auto", "scroll"].includes(getComputedStyle(e).overflowX) || e.matches(".tiles > div, figure, .example, header, nav");
  for (const e of document.querySelectorAll("nav a, h1, h1 small, h2, h3, h3 span, figcaption, .tiles dt, .tiles dd, .tiles small, .facts dd, .lead, .views *, .layers span, .triple p, .kicker, .question, button, summary, footer p")) {
    if (!isShown(e) || e.closest(".scroller, option") || !e.textContent.trim()) continue;
    const box = textBox(e);
    if (box.width === 0) continue;
    for (let around = e; around && around !== document.body; around = around.parentElement) {
      const frame = around.getBoundingClientRect();
      if (clips(around) && (box.left < frame.left - 1 || box.right > frame.right + 1)) fault("cut off", e);
    }
  }

  for (const svg of document.querySelectorAll(".chart svg")) {
    if (!isShown(svg)) continue;
    const frame = svg.closest("figure:not([class*=plot]), .layers, .hero").getBoundingClientRect();
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBoundingClientRect();
      if (box.width && (box.left < frame.left - 1 || box.right > frame.right + 1)) fault("outside of its chart", text);
    }
    for (const axis of svg.querySelectorAll("[aria-label$='tick label']")) {
      const ticks = [...axis.querySelectorAll("text")].filter(text => text.textContent);
      // Facets repeat an axis; each is a group of its own.
      const rows = Map.groupBy(ticks, text => text.parentNode);
      const key = `${svg.closest(".chart").id} ${axis.getAttribute("aria-label")}`;
      seen.axes[key] = [...(seen.axes[key] || []), ...[...rows.values()].map(row => row.map(text => text.textContent))];
      const boxes = ticks.map(text => text.getBoundingClientRect());
      boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b, j) => {
        if (a.left < b.right && b.left < a.right && a.top < b.bottom - 2 && b.top < a.bottom - 2) fault(`over "${ticks[i + 1 + j].textContent}"`, ticks[i]);
      }));
    }
  }

  for (const scroller of document.querySelectorAll(".scroller")) {
    if (!isShown(scroller)) continue;
    const hidden = scroller.scrollWidth > scroller.clientWidth + 1;
    const frame = scroller.closest(".scroll-frame"), cue = frame && frame.querySelector(".scroll-cue");
    const cued = Boolean(cue) && isShown(cue) && Boolean(cue.textContent);
    const shaded = Boolean(frame) && getComputedStyle(scroller.parentElement, "::after").opacity === "1";
    if (hidden && innerWidth >= 1300) fault("does not fit a wide screen", scroller);
    if (hidden !== (cued && shaded)) fault(hidden ? "scrolls without a cue" : "has a cue without need", scroller);
  }
  for (const row of document.querySelectorAll(".triple")) {
    const captions = [...row.querySelectorAll("p")].filter(isShown);
    captions.slice(1).forEach((caption, i) => {
      if (textBox(captions[i]).right > textBox(caption).left) fault("over its neighbour", captions[i]);
    });
  }
  for (const button of document.querySelectorAll("td button")) {
    const {width, height} = button.getBoundingClientRect();
    if (height > width) fault("squeezed", button);
  }

  // The error is what the comparison is about: it is in sight before anything is scrolled.
  const error = document.querySelector("#comparison th:nth-child(2)");
  if (error && isShown(error) && error.getBoundingClientRect().right > document.getElementById("comparison").getBoundingClientRect().right + 1) fault("out of sight", error);

  const text = e => e.textContent.trim();
  seen.headline = document.getElementById("headline").getBoundingClientRect().bottom + scrollY;
  seen.says = text(document.getElementById("headline"));
  seen.cards = Object.fromEntries([...document.querySelectorAll("#tiles > div")].map(card =>
    [text(card.querySelector("dt")), {value: card.querySelector("dd").firstChild.textContent, note: text(card.querySelector("small"))}]));
  seen.comparison = [...document.querySelectorAll("#comparison tr")].map(row => [...row.cells].map(text));
  seen.sameEverywhere = text(document.getElementById("comparison-lead"));
  seen.choices = {buttons: document.querySelectorAll("#views button").length, options: document.querySelectorAll("#views option").length};
  seen.text = document.querySelector("main").innerText;
  seen.all = document.querySelector("main").textContent;  // also what is folded away
  return seen;
}

const found = {};
for (const argument of pages) {
  const [name, file] = argument.split("=");
  found[name] = {};
  for (const setting of [...SCREENS, ...PAPERS]) {
    const page = await browser.newPage();
    const messages = [];
    page.on("console", message => messages.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", error => messages.push(`error: ${error.message}`));
    await page.emulateMedia({colorScheme: setting.scheme, reducedMotion: "reduce", media: setting.print ? "print" : "screen"});
    await page.setViewportSize({width: setting.width, height: setting.width < 500 ? 844 : 900});
    await page.goto(pathToFileURL(file).href);
    await page.screenshot({path: join(folder, `${name}-${setting.name}.png`), fullPage: true});
    found[name][setting.name] = {messages, ...await page.evaluate(inspect, {print: Boolean(setting.print)})};
    await page.close();
  }
}
await browser.close();
console.log(JSON.stringify(found));

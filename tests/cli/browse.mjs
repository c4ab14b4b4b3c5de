// Opens a page in headless Chromium, operates it as a reader would, and prints what it found as JSON:
//
//     node tests/cli/browse.mjs PACKAGES PAGE.html FOLDER
//
// PACKAGES is the folder that npm installed into. Screenshots go into FOLDER. tests/cli/report.py judges the result.
import {join} from "node:path";
import {pathToFileURL} from "node:url";

import {openBrowser} from "./browser.mjs";

const [packages, file, folder] = process.argv.slice(2);
const browser = await openBrowser(packages);
const seen = {messages: [], requests: [], widths: {}, charts: {}, pictures: [], sorted: {}, filtered: {}, views: []};

async function open(width, scheme) {
  const page = await browser.newPage();
  page.on("console", message => seen.messages.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", error => seen.messages.push(`error: ${error.message}`));
  page.on("request", request => seen.requests.push(request.url().slice(0, 100)));
  await page.emulateMedia({colorScheme: scheme, reducedMotion: "reduce"});  // no waiting for smooth scrolling
  await page.setViewportSize({width, height: 900});
  await page.goto(pathToFileURL(file).href);
  return page;
}

// Elements that extend beyond the window and are not inside a box that scrolls.
const overflowing = () => [...document.querySelectorAll("body *")].filter(element => {
  const box = element.getBoundingClientRect();
  return box.width > 0 && (box.right > innerWidth + 1 || box.left < -1) &&
         !element.closest(".scroller, nav ul, svg, .skip");
}).map(element => `${element.tagName} ${element.id} ${element.className}`);

for (const [width, scheme] of [[360, "light"], [1024, "dark"], [1920, "light"]]) {
  const page = await open(width, scheme);
  await page.screenshot({path: join(folder, `page-${width}.png`), fullPage: false});
  seen.widths[width] = {
    content: await page.evaluate(() => document.documentElement.scrollWidth),
    overflowing: await page.evaluate(overflowing),
    background: await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
  };
  await page.close();
}

const page = await open(1280, "light");
for (const chart of await page.locator(".chart:visible").all()) {
  const id = await chart.getAttribute("id");
  await chart.scrollIntoViewIfNeeded();
  await chart.screenshot({path: join(folder, `chart-${id}.png`)});
  seen.charts[id] = await chart.evaluate(place => place.querySelectorAll("svg path, svg rect, svg circle").length);
}
for (let more = page.locator("#more"); await more.isVisible();) await more.click();
seen.pictures = await page.locator("img.pixels").evaluateAll(pictures => Promise.all(pictures.map(async image => {
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  const drawing = canvas.getContext("2d", {willReadFrequently: true});
  drawing.drawImage(image, 0, 0);
  const {data} = drawing.getImageData(0, 0, canvas.width, canvas.height);
  const colours = new Set();
  for (let k = 0; k < data.length; k += 4) colours.add(data.slice(k, k + 4).join());
  return {width: image.naturalWidth, shown: image.clientWidth, colours: colours.size, text: image.alt};
})));

// The visible rows of the table, as text.
const rowsOf = () => page.locator("#sample-table tbody tr").evaluateAll(rows =>
  rows.map(row => [...row.cells].map(cell => cell.textContent)));
seen.columns = await page.locator("#sample-table th").allTextContents();
seen.first = await rowsOf();
seen.status = await page.locator("#pager [role=status]").textContent();
for (const column of ["sample", "label", "verdict", "time", "subproblems"]) {
  const button = page.locator("#sample-table th button", {hasText: new RegExp(`^${column}$`)});
  await button.focus();
  await page.keyboard.press("Enter");
  const once = await rowsOf();
  await page.keyboard.press("Enter");  // the focus stays on the title
  seen.sorted[column] = [once, await rowsOf()];
}
seen.order = await page.locator("#sample-table th[aria-sort$=ending]").textContent();
for (const [id, value] of [["filter-verdict", "vulnerable"], ["filter-verdict", "robust"], ["filter-label", "3"]]) {
  if (await page.locator(`#${id} option[value="${value}"]`).count() === 0) continue;
  await page.selectOption(`#${id}`, value);
  seen.filtered[value] = {status: await page.locator("#pager [role=status]").textContent(), rows: await rowsOf()};
  await page.click("#filters [type=reset]");
  await page.waitForFunction(all => document.querySelector("#pager [role=status]").textContent === all, seen.status);
}
await page.fill("#filter-sample", "5-9");
seen.filtered["5-9"] = {rows: await rowsOf()};
await page.fill("#filter-sample", "");
const pages = page.locator("#pager [data-page=last]");
if (await pages.isEnabled()) await pages.click();
seen.last = await page.locator("#pager [role=status]").textContent();

for (const button of await page.locator("#views button").all()) {
  await button.click();
  seen.views.push({name: await button.textContent(), headline: await page.locator("#headline").textContent(),
                   pressed: await button.getAttribute("aria-pressed")});
}
seen.headline = await page.locator("#headline").textContent();
seen.text = await page.locator("main").innerText();
await page.emulateMedia({media: "print", colorScheme: "dark"});
seen.printed = await page.evaluate(() => ({
  background: getComputedStyle(document.body).backgroundColor,
  navigation: getComputedStyle(document.querySelector(".top")).display,
}));
await browser.close();
console.log(JSON.stringify(seen));

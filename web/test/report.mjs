/** The page of `report --html` in a real browser. Usage: node report.mjs RCHECK_SMT FOLDER_FOR_SCREENSHOTS */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, copyFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [program, shots] = process.argv.slice(2).map(path => resolve(path));
const specs = resolve(import.meta.dirname, "../../specs");
const BAD = `// <img src=x onerror="window.injected=1">
enum channel {line}
message-structure: LOAD : int
agent Source
    local: sent : 0..5
    init: sent = 0
    receive-guard: false
    repeat: ( send: {sent < 5} *! (true)(LOAD := sent)[sent := sent + 1] ) // </pre></script><script>window.injected = 1</script>
system = Source(one, true)
// name: few
SPEC G (one-sent < 3);
// expect: holds
SPEC G (one-sent < 4);
`;
/** Neither `%zz` nor `%20` means something in it. */
const HOSTILE = "100%zz a%20b#c.rcp";
const work = mkdtempSync(join(tmpdir(), "rcheck-report-"));
mkdirSync(shots, { recursive: true });
copyFileSync(join(specs, "resource_allocation/modern.rcp"), join(work, "allocation.rcp"));
copyFileSync(join(specs, "ticket_lock.rcp"), join(work, "ticket_lock.rcp"));
writeFileSync(join(work, HOSTILE), BAD);
const arguments_ = ["batch", ".", "--mode", "prove", "--timeout", "60s", "--quiet", "--traces", "traces", "--output", "r.jsonl", "--html", "r.html"];
try {
  execFileSync(program, arguments_, { cwd: work, stdio: "inherit" });
} catch (error) {
  assert.equal(error.status, 1, "one spec is not as expected");
}
assert.ok(readdirSync(work).includes("r.html"));

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const failures = [];
const open = async (width, colorScheme) => {
  const view = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  view.on("pageerror", error => failures.push(String(error)));
  view.on("request", request => request.url().startsWith("file:") || failures.push(`asks for ${request.url()}`));
  await view.goto(pathToFileURL(join(work, "r.html")).href);
  return view;
};
let shot = 0;
const look = (view, name, fullPage = false) => view.screenshot({ path: join(shots, `report-${++shot}-${name}.png`), fullPage });
try {
  const view = await open(1280, "light");
  const rows = view.locator("tbody.record:visible"), all = await rows.count();
  assert.ok(all >= 20, `${all} results`);
  await look(view, "light");
  // Filters, search, sorting.
  await view.getByRole("button", { name: /^violated/ }).click();
  const violated = await rows.count();
  assert.ok(0 < violated && violated < all);
  assert.equal(await view.locator("tbody.record:visible[data-verdict=holds]").count(), 0);
  await view.getByRole("button", { name: /^violated/ }).click();
  await view.getByRole("button", { name: /^to look at/ }).click();
  assert.equal(await rows.count(), await view.locator("tbody.record[data-look]").count());
  assert.ok(1 < (await rows.count()) && (await rows.count()) < all);
  await view.getByRole("button", { name: /^to look at/ }).click();
  await view.getByRole("searchbox").fill("ticket VIOLATED");
  assert.ok(0 < (await rows.count()) && (await rows.count()) < violated);
  await view.getByRole("searchbox").fill("");
  const seconds = async () => (await view.locator("tbody.record").evaluateAll(all => all.map(it => Number(it.dataset.seconds))));
  const before = await seconds();
  await view.locator("th[data-key=seconds] button").click();
  assert.deepEqual(await seconds(), [...before].sort((a, b) => a - b));
  await view.locator("th[data-key=seconds] button").click();
  assert.equal(await view.locator("th[data-key=seconds]").getAttribute("aria-sort"), "descending");
  await view.locator("th[data-key=seconds] button").click();
  assert.deepEqual(await seconds(), before);
  // Expected violations are not red, others are.
  assert.equal(await view.locator("tbody.record[data-verdict=violated]:not([data-look]) tr:first-child .bad").count(), 0);
  assert.ok((await view.locator("tbody.record[data-look] tr:first-child .bad").count()) > 0);
  // A row opens without moving a column.
  const columns = () => view.locator("thead th").evaluateAll(all => all.map(it => it.getBoundingClientRect().left));
  const places = await columns();
  const record = view.locator("tbody.record[data-verdict=violated]", { hasText: "manager_connects_all_machines" });
  await record.locator("summary").first().click();
  await record.locator(".run.ready").waitFor();
  assert.deepEqual(await columns(), places);
  // Through the counterexample, by keys and mouse.
  const run = record.locator(".run.ready");
  await run.getByRole("button", { name: "Step on" }).click();
  await view.keyboard.press("ArrowRight");
  await run.getByText(/^step 2 of /).waitFor();
  assert.ok((await run.locator(".source .lit").count()) > 0 && (await run.locator("tr.changed").count()) > 0);
  await record.scrollIntoViewIfNeeded();
  await look(view, "open-light");
  await run.locator("[data-step] text").last().click();
  await run.getByText(/^step (\d+) of \1$/).waitFor();
  assert.ok((await record.locator("a[href]").count()) >= 3, "evidence is linked");
  assert.ok((await view.pdf({ path: join(shots, "print-report.pdf") })).length > 10_000);
  // Names and messages from models are text.
  const hostile = view.locator("tbody.record[data-verdict=violated]", { hasText: "few" });
  await hostile.locator("summary").first().click();
  await hostile.locator(".source span", { hasText: "window.injected" }).first().waitFor();
  assert.equal(await view.evaluate(() => window.injected), undefined);
  // So are names of files.
  const odd = await open(1280, "light");
  await odd.locator("ul a", { hasText: HOSTILE }).first().click();
  await odd.locator("tbody:target details[open]", { hasText: "as text" }).waitFor();
  for (const link of await odd.locator("tbody:target a[href]").evaluateAll(all => all.map(it => it.href))) {
    assert.ok(existsSync(fileURLToPath(link)), `${link} leads to a file`);
  }
  await odd.locator("#theme").click();
  await odd.reload();
  assert.equal(await odd.locator("html").getAttribute("data-theme"), "dark", "the light that was chosen stays");
  // On paper everything is dark on light, and all of it.
  await odd.locator("tbody:target .run.ready").waitFor();
  await odd.emulateMedia({ media: "print" });
  const printed = await odd.locator("tbody:target .chart svg").first().evaluate(it => ({ filter: getComputedStyle(it).filter, opacity: getComputedStyle(it.querySelector(".faded")).opacity, ink: getComputedStyle(document.body).color }));
  assert.deepEqual([printed.filter, printed.opacity], ["none", "1"]);
  assert.ok(Math.max(...printed.ink.match(/\d+/g).slice(0, 3)) < 100, `the ink is ${printed.ink}`);
  await odd.emulateMedia({ media: null });
  await odd.locator("#theme").click();
  await odd.close();
  // A link to a row opens it; dark and narrow.
  const dark = await open(800, "dark");
  await dark.locator("ul a").first().click();
  await dark.locator("tbody:target details[open]").waitFor();
  await look(dark, "open-dark");
  await dark.evaluate(() => scrollTo(0, 0));
  await look(dark, "dark");
  const wide = await open(1280, "dark");
  await wide.locator("ul a").first().click();
  await wide.locator("tbody:target .run.ready").waitFor();
  await look(wide, "open-wide-dark");
  assert.deepEqual(failures, []);
  console.log("report: all passed");
} catch (error) {
  for (const view of browser.contexts().flatMap(it => it.pages())) await look(view, "failure");
  throw error;
} finally {
  await browser.close();
  rmSync(work, { recursive: true, force: true });
  if (failures.length > 0) console.error(failures.join("\n"));
}

/** The page in a real browser. Usage: node page.mjs RCHECK_SMT FOLDER_FOR_SCREENSHOTS */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const [program, shots] = process.argv.slice(2).map(path => resolve(path));
const PATIENCE = Number(process.env.PATIENCE ?? 120_000);
const root = resolve(import.meta.dirname, "../..");
const HOSTILE = `// <script>window.injected = 1</script> "><img src=x onerror="window.injected = 1">
enum channel {line}
message-structure: LOAD : int

agent Source
    local: sent : 0..5
    init: sent0 = 0
    receive-guard: false
    repeat: (
        send: {sent < 5} *! (true)(LOAD := sent)[sent := sent + 1]
    )

system = Source(one, true)

// </script><img src=x onerror=window.injected=1>
// name: few
SPEC G (one-sent < 3);
`;

/** Three counters to 16: 4,913 states, 969 up to symmetry. */
const COUNTERS = `enum channel {line}
message-structure: M : int

agent Counter
    local: n : 0..16
    init: n = 0
    receive-guard: false
    repeat: (
        tick: {n < 16} *! (true)(M := n)[n := n + 1]
    )

system = Counter(a, true) || Counter(b, true) || Counter(c, true)

// name: not_all
SPEC G !(a-n = 16 & b-n = 16 & c-n = 16);
`;

const work = mkdtempSync(join(tmpdir(), "rcheck-page-"));
mkdirSync(shots, { recursive: true });
const hostile = join(work, "<img src=x onerror=window.injected=1>.rcp");
writeFileSync(hostile, HOSTILE);
const counters = join(work, "counters.rcp");
writeFileSync(counters, COUNTERS);
const study = join(root, process.env.STUDY ?? "specs/resource_allocation/modern.rcp");

const server = spawn(program, ["serve", study, hostile, counters], { stdio: ["ignore", "inherit", "pipe"] });
const lines = createInterface({ input: server.stderr });
const [address] = await new Promise(found => lines.once("line", line => found([line])));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const open = async (width, colorScheme) => {
  const view = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  view.setDefaultTimeout(PATIENCE);
  view.on("pageerror", error => failures.push(String(error)));
  view.on("console", message => message.type() === "error" && failures.push(message.text()));
  await view.goto(address);
  return view;
};
const failures = [];
let shot = 0;
const look = (view, name) => view.screenshot({ path: join(shots, `${String(++shot).padStart(2, "0")}-${name}.png`) });

try {
  const view = await open(1280, "light");
  await view.locator("#models option").nth(1).waitFor({ state: "attached" });
  const options = await view.locator("#models option").allInnerTexts();
  const choose = (part, at = view) => at.locator("#models").selectOption(String(options.findIndex(it => it.includes(part))));

  // The case study: all verdicts, and through a counterexample.
  await choose("modern");
  await view.locator("#specs li[data-spec]", { hasText: "reserve_then_request" }).first().waitFor();
  const specs = await view.locator("#specs li[data-spec]").count();
  await view.locator("#prove").click();
  await view.waitForFunction(all => document.querySelectorAll("#specs li[data-spec] .words").length === all && !document.querySelector("[id^=spec-cancel]"), specs);
  assert.equal(await view.locator("#specs li[data-spec] .bad").count(), 0, "a violation that is expected is nothing bad");
  await look(view, "verdicts-light");
  await view.getByText("Why").first().click();
  await view.locator("#specs pre").first().waitFor();
  await view.getByText("Step through").first().click();
  await view.locator("#trace [aria-current]").waitFor();
  await view.keyboard.press("ArrowDown");
  await view.keyboard.press("ArrowDown");
  await view.locator("#editor .lit").first().waitFor();
  assert.ok((await view.locator("#trace tr.changed").count()) > 0, "a step changes something");
  await look(view, "trace-light");
  // The last steps by mouse, in the chart; pictures as files.
  await view.locator("#trace [data-step] text").last().click();
  await view.locator("#trace [role=status]", { hasText: /^step (\d+) of \1$/ }).waitFor();
  for (const [button, begin] of [["SVG", "<svg"], ["PNG", "\u0089PNG"]]) {
    const [kept] = await Promise.all([view.waitForEvent("download"), view.locator("#trace").getByRole("button", { name: button }).click()]);
    const content = readFileSync(await kept.path(), "latin1");
    assert.ok(content.startsWith(begin), `${button} is ${content.slice(0, 20)}`);
  }
  assert.ok((await view.pdf({ path: join(shots, "print-trace.pdf") })).length > 5_000, "the chart prints");

  // The simulator: on, back, another way; the automata know where that is.
  await view.locator("#tab-simulator").click();
  const offers = view.locator("#offers button");
  await offers.first().waitFor();
  await offers.first().click();
  await view.getByText("after 1 step", { exact: true }).waitFor();
  await view.getByRole("button", { name: "Back" }).click();
  await view.getByText("after 0 steps").waitFor();
  await offers.last().click();
  await view.getByText("after 1 step", { exact: true }).waitFor();
  await view.locator("#simulator .shut").first().hover();
  await view.locator(".tip").waitFor();
  await look(view, "simulator-light");
  await view.locator("#tab-automata").click();
  await view.locator("#automata .present").first().waitFor();
  await look(view, "automata-light");

  // The state space: all of it, up to symmetry, what fulfils a condition, and step by step.
  const says = (words, at = view) => at.locator("#explorer .row [role=status]", { hasText: words }).waitFor();
  await view.locator("#tab-explorer").click();
  await says(/^60 states, /);
  await look(view, "explorer-first-light");
  await view.getByRole("button", { name: "Explore 5000" }).click();
  await says(/^306 states, .* all that there are/);
  await view.getByRole("searchbox", { name: "condition" }).fill("client1-cLink = empty");
  await view.getByRole("button", { name: "Find" }).click();
  await says(/^\d+ of all 306 states/);
  await look(view, "explorer-light");
  await view.getByRole("searchbox", { name: "condition" }).fill("F client1-cLink = empty");
  await view.getByRole("button", { name: "Find" }).click();
  await says(/no condition about one state/);
  await view.getByLabel("up to symmetry").check();
  await says(/^\d+ states, /);
  await view.getByRole("button", { name: "Explore 5000" }).click();
  await says(/all that there are/);
  const merged = Number((await view.locator("#explorer .row [role=status]").innerText()).split(" ")[0]);
  assert.ok(merged < 306 / 4, `${merged} states up to symmetry`);
  await view.locator("#explorer .card button").first().click();
  await view.locator("#explorer .card", { hasText: /State \d+/ }).waitFor();
  await view.getByLabel("Show the steps of").selectOption({ label: "manager" });
  await look(view, "explorer-merged-light");
  await choose("counters");
  await view.locator("#specs li[data-spec]").first().waitFor();
  await view.locator("#tab-explorer").click();
  await says(/^60 states, /);
  await view.getByLabel("up to symmetry").uncheck();
  await says(/^60 states, /);
  await view.getByRole("button", { name: "Explore 5000" }).click();
  await says(/^4913 states, .* all that there are/);
  await view.locator("canvas").hover();
  for (let turn = 0; turn < 8; turn++) await view.mouse.wheel(0, turn < 4 ? -300 : 200);
  await look(view, "explorer-4913-light");
  await view.getByLabel("up to symmetry").check();
  await says(/^60 states, /);
  await view.getByRole("button", { name: "Explore 5000" }).click();
  await says(/^969 states, .* all that there are/);

  // A second tab, dark and narrow, on the model with an error and hostile names.
  const other = await open(800, "dark");
  await choose("onerror", other);
  await other.locator(".cm-lintRange-error").first().waitFor();
  await other.locator("#problems li", { hasText: "line 7" }).waitFor();
  await look(other, "error-dark");
  await other.locator(".cm-lintRange-error").first().hover();
  await other.locator(".cm-diagnosticAction").first().waitFor();
  await look(other, "error-hover-dark");
  await other.mouse.move(5, 790);
  await other.locator("#problems button.main").first().click();
  await other.locator(".cm-line", { hasText: "init: sent = 0" }).waitFor();
  await other.locator("#specs li[data-spec]").first().waitFor();
  await other.locator("#prove").click();
  await other.getByText("Step through").first().click();
  await other.locator("#trace [aria-current]").waitFor();
  await other.keyboard.press("End");
  await look(other, "trace-dark");
  await other.locator("#save").click();
  await other.locator("#status", { hasText: "Saved" }).waitFor();
  assert.equal(readFileSync(hostile, "utf8"), HOSTILE.replace("sent0", "sent"));
  for (const tab of ["simulator", "automata", "explorer"]) {
    await other.locator(`#tab-${tab}`).click();
    await other.locator(`#${tab} button`).first().waitFor();
    await look(other, `${tab}-dark`);
  }
  // The border between text and views moves by keys, and the light changes.
  const height = () => other.locator("#editor").evaluate(it => it.clientHeight);
  const low = await height();
  await other.locator("#border").focus();
  await other.keyboard.press("ArrowUp");
  assert.ok((await height()) < low, "the border moves");
  await other.locator("#theme").click();
  assert.equal(await other.locator("html").getAttribute("data-theme"), "light");
  // The first tab heard nothing of the second.
  await choose("onerror");
  await view.locator(".cm-line", { hasText: "init: sent = 0" }).waitFor();
  await choose("modern");
  await view.locator("#specs li[data-spec]").first().waitFor();
  // Every screen in the other light and width.
  const wide = await open(1280, "dark"), narrow = await open(800, "light");
  for (const [at, name] of [[wide, "wide-dark"], [narrow, "narrow-light"]]) {
    await choose("modern", at);
    await at.locator("#prove").click();
    await at.getByText("Step through").first().waitFor();
    await at.waitForFunction(() => !document.querySelector("[id^=spec-cancel]"));
    await look(at, `verdicts-${name}`);
    await at.getByText("Step through").first().click();
    await at.locator("#trace [aria-current]").waitFor();
    await at.keyboard.press("End");
    await look(at, `trace-${name}`);
    await at.locator("#tab-simulator").click();
    await at.locator("#offers button").first().click();
    await at.getByText("after 1 step", { exact: true }).waitFor();
    await look(at, `simulator-${name}`);
    await at.locator("#tab-automata").click();
    await at.locator("#automata .present").first().waitFor();
    await look(at, `automata-${name}`);
    await at.locator("#tab-explorer").click();
    await says(/^60 states, /, at);
    await look(at, `explorer-${name}`);
    await at.close();
  }
  assert.equal(await other.evaluate(() => window.injected), undefined, "what a model says is never run");
  assert.deepEqual(failures, []);

  // The server stops under both.
  server.kill("SIGINT");
  for (const it of [view, other]) await it.locator("#status.bad", { hasText: "The server has ended" }).waitFor();
  console.log("page: all passed");
} catch (error) {
  for (const view of browser.contexts().flatMap(it => it.pages())) await look(view, "failure");
  throw error;
} finally {
  await browser.close();
  server.kill();
  rmSync(work, { recursive: true, force: true });
  if (failures.length > 0) console.error(failures.join("\n"));
}

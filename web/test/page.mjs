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

const work = mkdtempSync(join(tmpdir(), "rcheck-page-"));
mkdirSync(shots, { recursive: true });
const hostile = join(work, "<img src=x onerror=window.injected=1>.rcp");
writeFileSync(hostile, HOSTILE);
const study = join(root, process.env.STUDY ?? "specs/resource_allocation/modern.rcp");

const server = spawn(program, ["serve", study, hostile], { stdio: ["ignore", "inherit", "pipe"] });
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
  const choose = async part => view.locator("#models").selectOption(String(options.findIndex(it => it.includes(part))));

  // The case study: all verdicts, and through a counterexample.
  await choose("modern");
  await view.locator("#specs li").first().waitFor();
  const specs = await view.locator("#specs li").count();
  await view.locator("#prove").click();
  await view.waitForFunction(all => document.querySelectorAll("#specs li .words").length === all && !document.querySelector("[id^=spec-cancel]"), specs);
  await look(view, "verdicts-light");
  if (await view.getByText("Step through").count()) {
    await view.getByText("Step through").first().click();
    await view.locator("#trace [aria-current]").waitFor();
    await view.keyboard.press("ArrowDown");
    await view.keyboard.press("ArrowDown");
    await view.locator("#editor .lit").first().waitFor();
    await look(view, "trace-light");
  }

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

  // The state space.
  await view.locator("#tab-explorer").click();
  await view.getByRole("button", { name: "Explore 5000" }).click();
  await view.locator("#explorer .row [role=status]", { hasText: /306 states, / }).waitFor();
  await look(view, "explorer-light");

  // A second tab, dark and narrow, on the model with an error and hostile names.
  const other = await open(800, "dark");
  await other.locator("#models").selectOption(String(options.findIndex(it => it.includes("onerror"))));
  await other.locator(".cm-lintRange-error").first().waitFor();
  await look(other, "error-dark");
  await other.locator(".cm-lintRange-error").first().hover();
  await other.locator(".cm-diagnosticAction").first().click();
  await other.locator(".cm-line", { hasText: "init: sent = 0" }).waitFor();
  await other.locator("#specs li").first().waitFor();
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
  assert.equal(await other.evaluate(() => window.injected), undefined, "what a model says is never run");
  assert.deepEqual(failures, []);

  // The server stops under both.
  server.kill("SIGINT");
  for (const it of [view, other]) await it.locator("#status.bad", { hasText: "The server has ended" }).waitFor();
  console.log("page: all passed");
} finally {
  await browser.close();
  server.kill();
  rmSync(work, { recursive: true, force: true });
  if (failures.length > 0) console.error(failures.join("\n"));
}

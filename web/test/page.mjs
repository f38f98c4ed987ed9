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

/** A proof of it takes some seconds; its spec has a name that is wider than the view. */
const LONG = "a_name_that_never_ends_".repeat(8);
const SLOW = COUNTERS.replaceAll("16", "200").replace("not_all", LONG);
/** Lines end in two ways. */
const MIXED = COUNTERS.split("\n").map((line, at) => line + (at % 5 === 3 ? "\n" : "\r\n")).join("");

const work = mkdtempSync(join(tmpdir(), "rcheck-page-"));
mkdirSync(shots, { recursive: true });
const hostile = join(work, "<img src=x onerror=window.injected=1>.rcp");
writeFileSync(hostile, HOSTILE);
const counters = join(work, "counters.rcp");
writeFileSync(counters, COUNTERS);
const [slow, mixed, removed] = ["slow.rcp", "mixed.rcp", "removed.rcp"].map(name => join(work, name));
writeFileSync(slow, SLOW);
writeFileSync(mixed, MIXED);
writeFileSync(removed, COUNTERS);
const ships = join(root, "specs/strategies/blind.rcp");
const study = join(root, process.env.STUDY ?? "specs/resource_allocation/modern.rcp");

/** A server, and the address that it prints. */
const serve = async (...arguments_) => {
  const server = spawn(program, arguments_, { stdio: ["ignore", "inherit", "pipe"] });
  const lines = createInterface({ input: server.stderr });
  return [server, await new Promise(found => lines.once("line", found))];
};
const [server, address] = await serve("serve", study, ships, hostile, counters, slow, mixed, removed, "--timeout", "20s");
const [simulating, simulator] = await serve("simulate", "--web", study);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const open = async (width, colorScheme, at = address) => {
  const view = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  view.setDefaultTimeout(PATIENCE);
  view.on("pageerror", error => failures.push(String(error)));
  view.on("console", message => message.type() === "error" && failures.push(message.text()));
  await view.goto(at);
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

  // On paper everything is dark on light, also where dark was chosen, and all of it.
  await view.locator("#theme").click();
  await view.emulateMedia({ media: "print" });
  assert.equal(await view.locator("#automata svg").evaluate(it => getComputedStyle(it).filter), "none");
  assert.equal(await view.locator("html").evaluate(it => getComputedStyle(it).colorScheme), "light");
  await view.emulateMedia({ media: null });
  await view.locator("#theme").click();
  // By keys alone: the focus stays where one works.
  const focused = (at = view) => at.evaluate(() => document.activeElement.closest("[role=tabpanel], [role=tablist]")?.id || document.activeElement.tagName);
  await view.locator("#tab-automata").focus();
  await view.keyboard.press("Home");
  assert.equal(await view.locator("#tab-specs").getAttribute("aria-selected"), "true");
  await view.keyboard.press("End");
  assert.equal(await view.locator("#tab-explorer").getAttribute("aria-selected"), "true");
  await view.keyboard.press("ArrowLeft");
  await offers.first().focus();
  for (const steps of [2, 3]) {
    await view.keyboard.press("Enter");
    await view.getByText(`after ${steps} steps`).waitFor();
    assert.equal(await view.evaluate(() => document.activeElement.parentElement.id), "offers");
  }
  for (const [name, words] of [["Back", "after 2 steps"], ["Random step", "after 3 steps"]]) {
    await view.getByRole("button", { name }).focus();
    await view.keyboard.press("Enter");
    await view.getByText(words).waitFor();
    assert.equal(await view.evaluate(() => document.activeElement.textContent), name);
  }
  // The effect of a button is lit while the pointer is on it.
  const lit = () => view.locator("#editor .lit").allInnerTexts();
  const taken = await lit();
  await offers.first().hover();
  assert.notDeepEqual(await lit(), taken);
  await view.locator("#simulator h2").first().hover();
  assert.deepEqual(await lit(), taken);

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
  await view.locator("#explorer .card strong", { hasText: /^State \d+, initial/ }).waitFor();
  await view.locator("#explorer .card button").first().focus();
  await view.keyboard.press("Enter");
  await view.locator("#explorer .card strong", { hasText: /^State \d+$/ }).waitFor();
  assert.ok(await view.evaluate(() => document.activeElement.closest(".card") !== null), "the focus is at what follows");
  await view.getByRole("searchbox", { name: "condition" }).fill("exists k : Client . k-cLink = empty");
  await view.getByRole("button", { name: "Find" }).click();
  await says(/^[1-9]\d* of all \d+ states/);
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

  // With 4,913 states, frames of zooming, each drawn to the end.
  await view.getByLabel("up to symmetry").uncheck();
  await says(/^60 states, /);
  await view.getByRole("button", { name: "Explore 5000" }).click();
  await says(/^4913 states, /);
  const frames = await view.evaluate(async () => {
    const canvas = document.querySelector("#explorer canvas"), { left, top } = canvas.getBoundingClientRect(), taken = [];
    for (let turn = 0; turn < 60; turn++) {
      canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: turn % 2 ? -25 : 25, clientX: left + 300, clientY: top + 200, cancelable: true }));
      const begin = performance.now();
      await new Promise(drawn => requestAnimationFrame(drawn));
      canvas.getContext("2d").getImageData(0, 0, 1, 1);
      taken.push(performance.now() - begin);
    }
    return taken.sort((a, b) => a - b);
  });
  console.log(`zooming in 4913 states: ${frames[30].toFixed(0)} ms a frame, ${frames[57].toFixed(0)} ms the slowest but two`);

  // Ends of lines stay as they were, but for the line that is typed.
  await choose("mixed");
  await view.locator(".cm-line", { hasText: "Counter(c, true)" }).waitFor();
  assert.ok(await view.locator("#save").isDisabled(), "nothing was changed");
  await view.locator(".cm-line", { hasText: "agent Counter" }).click();
  await view.keyboard.press("Home");
  await view.keyboard.type("// typed");
  await view.keyboard.press("Enter");
  await view.locator("#save").click();
  await view.locator("#status", { hasText: "Saved" }).waitFor();
  assert.equal(readFileSync(mixed, "utf8"), MIXED.replace("agent Counter", "// typed\r\nagent Counter"));
  assert.ok(await view.locator("#save").isDisabled(), "all is saved");

  // A model that is gone by now.
  rmSync(removed);
  await choose("removed");
  await view.locator("#status.bad", { hasText: "The model cannot be opened: cannot read" }).waitFor();
  assert.match(await view.locator("#status").getAttribute("title"), /removed\.rcp/);
  assert.match(options[await view.locator("#models").inputValue()], /mixed/);

  // While a proof runs, a false spec comes above: the verdict, and until then the sign that it runs, stay with their spec.
  await choose("slow");
  const items = view.locator("#specs li[data-spec]"), about = number => items.nth(number).locator(".words");
  await items.filter({ hasText: LONG }).waitFor();
  await items.getByRole("button", { name: "Prove" }).focus();
  await view.keyboard.press("Enter");
  await items.getByRole("button", { name: "Cancel" }).waitFor();
  assert.equal(await focused(), "specs", "who cannot prove any more can cancel");
  await view.locator(".cm-line", { hasText: `// name: ${LONG}` }).click();
  await view.keyboard.press("Home");
  await view.keyboard.type("SPEC false;");
  await view.keyboard.press("Enter");
  await view.waitForFunction(() => document.querySelectorAll("#specs li[data-spec]").length === 2);
  assert.match(await about(1).innerText(), /^being verified/);
  assert.equal(await about(0).count(), 0, "the false spec was not asked about");
  await items.nth(1).getByRole("button", { name: "Cancel" }).waitFor({ state: "detached" });
  assert.match(await about(1).innerText(), /^(violated|unknown)/);
  assert.equal(await about(0).count(), 0, "the false spec was not asked about");
  const [name, action] = await Promise.all(["[id=spec-name-2]", "[id^=spec-why-2], [id^=spec-trace-2]"].map(it => view.locator(it).boundingBox()));
  assert.ok(name.x + name.width <= action.x, "a long name ends before the button");
  await look(view, "renumbered-light");
  view.once("dialog", dialog => dialog.accept());
  await choose("counters");
  await view.locator(".cm-line", { hasText: "n < 16" }).waitFor();

  // The text changes while a view of it is on its way: the view is the one of the new text.
  const edit = changes => view.evaluate(changes => document.querySelector(".cm-content").cmView.view.dispatch({ changes }), changes);
  const clickAndType = (selector, command) =>
    view.evaluate(([selector, command]) => {
      const { send } = WebSocket.prototype, type = () => document.querySelector(".cm-content").cmView.view.dispatch({ changes: { from: 0, insert: "\n" } });
      WebSocket.prototype.send = function (message) {
        send.call(this, message);
        if (!message.includes(`rcheck-smt.${command}`)) return;
        WebSocket.prototype.send = send;
        setTimeout(type);
      };
      document.querySelector(selector).click();
    }, [selector, command]);
  const isTyped = () => view.waitForFunction(() => document.querySelector(".cm-content").cmView.view.state.doc.line(1).length === 0);
  for (const [tab, command, shown] of [["simulator", "states", "#offers button"], ["automata", "automata", "#automata svg"], ["explorer", "states", "#explorer .card strong"]]) {
    await clickAndType(`#tab-${tab}`, command);
    await isTyped();
    await view.waitForTimeout(1000);
    await view.locator(shown).first().waitFor();
    await edit({ from: 0, to: 1 });
  }
  await view.locator("#prove").click();
  await view.getByText("Step through").waitFor();
  await clickAndType("[id^=spec-trace]", "trace");
  await isTyped();
  await view.waitForTimeout(1000);
  await view.locator("#trace .empty").waitFor();
  await edit({ from: 0, to: 1 });

  // A strategy is played against in the model that has it built in, which is no file; the list of models leads back.
  await choose("blind");
  const radio = view.locator("#specs li[data-spec]", { hasText: "with_a_radio" }).first();
  await radio.getByText("Prove").click();
  await radio.getByText("Play against it").click();
  await view.locator("#offers button").first().waitFor();
  assert.equal(await view.locator("#offers button", { hasText: "bert" }).count(), 0, "bert waits for the call");
  assert.ok((await view.locator("#editor").innerText()).includes("written by rcheck-smt"), "the model with the strategy");
  assert.ok(await view.locator("#save").isDisabled(), "there is no file to save");
  await look(view, "strategy");
  await choose("blind");
  await view.locator("#specs li[data-spec]", { hasText: "in_the_fog" }).first().waitFor();
  assert.ok(!(await view.locator("#editor").innerText()).includes("written by rcheck-smt"), "the model of the file");

  // `simulate --web` begins at the simulator.
  const started = await open(1280, "dark", simulator);
  await started.locator("#offers button").first().click();
  await started.getByText("after 1 step", { exact: true }).waitFor();
  assert.equal(await started.locator("#tab-simulator").getAttribute("aria-selected"), "true");
  const changed = await started.evaluate(() => {
    const box = document.querySelector(".state"), row = box.querySelector("tr.changed"), [a, b] = [row, box].map(it => it.getBoundingClientRect());
    return a.top >= b.top && a.bottom <= b.bottom;
  });
  assert.ok(changed, "a changed row is in sight");
  // The light that was chosen stays; selections and the search can be read in it.
  await started.locator("#theme").click();
  await started.reload();
  await started.locator("#offers button").first().waitFor();
  assert.equal(await started.locator("html").getAttribute("data-theme"), "light");
  await started.locator("#theme").click();
  await started.locator(".cm-content").click();
  await started.keyboard.press("Control+f");
  await started.keyboard.type("chan");
  await started.keyboard.press("Enter");
  await look(started, "search-dark");
  const contrast = await started.locator(".cm-panels input").first().evaluate(it => [getComputedStyle(it).color, getComputedStyle(it).backgroundColor]);
  const bright = colour => colour.match(/\d+/g).slice(0, 3).reduce((sum, it) => sum + Number(it), 0) / 3;
  assert.ok(bright(contrast[0]) - bright(contrast[1]) > 120, `the search is ${contrast}`);
  await started.close();
  simulating.kill("SIGINT");

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

  // The server stops under both; what was typed cannot be saved any more.
  await view.locator(".cm-line").first().click();
  await view.keyboard.type("// typed");
  server.kill("SIGINT");
  for (const it of [view, other]) await it.locator("#status.bad", { hasText: "The server has ended" }).waitFor();
  assert.ok(await view.locator("#save").isDisabled());
  await other.locator("#tab-specs").click();
  await other.getByText("Step through").first().click();
  await other.waitForTimeout(300);
  assert.match(await other.locator("#status").innerText(), /keep your text/);
  await view.keyboard.type(" more");
  await view.waitForTimeout(400);
  assert.ok(await view.locator("#save").isDisabled(), "it cannot be saved");
  console.log("page: all passed");
} catch (error) {
  for (const view of browser.contexts().flatMap(it => it.pages())) await look(view, "failure");
  throw error;
} finally {
  await browser.close();
  server.kill();
  simulating.kill();
  rmSync(work, { recursive: true, force: true });
  if (failures.length > 0) console.error(failures.join("\n"));
}

/** The extension in a real VS Code: an error, its quick fix, a proof from the lens, a counterexample step by step.
    Usage: node workbench.mjs RCHECK_SMT VSIX FOLDER_FOR_SCREENSHOTS */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const [program, vsix, shots] = process.argv.slice(2).map(path => resolve(path));
const PATIENCE = Number(process.env.PATIENCE ?? 120_000);
const MODEL = `enum channel {line}
message-structure: LOAD : int

agent Source
    local: sent : 0..5
    init: sent0 = 0
    receive-guard: false
    repeat: (
        send: {sent < 5} *! (true)(LOAD := sent)[sent := sent + 1]
    )

agent Worker
    local: load : int
    init: load = 0
    receive-guard: chan = *
    repeat: (
        take: {true} *? [load := LOAD]
    )

system = Source(source, true) || Worker(one, true)

// name: idle
SPEC G (one-load < 3);
// name: positive
SPEC G (one-load >= 0);
`;

const work = mkdtempSync(join(tmpdir(), "rcheck-workbench-"));
const folder = join(work, "models");
for (const path of [folder, join(work, "data/User"), shots]) mkdirSync(path, { recursive: true });
writeFileSync(join(folder, "model.rcp"), MODEL);
const settings = {
  "rcheck-smt.path": program,
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.colorTheme": "Default Light Modern",
};
writeFileSync(join(work, "data/User/settings.json"), JSON.stringify(settings));
const server = resolve(import.meta.dirname, "node_modules/code-server/out/node/entry.js");
const places = ["--user-data-dir", join(work, "data"), "--extensions-dir", join(work, "extensions")];
execFileSync(process.execPath, [server, ...places, "--install-extension", vsix], { stdio: "inherit" });

const port = await new Promise(found => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => found(port));
  });
});
const quiet = ["--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", "--auth", "none"];
const editor = spawn(process.execPath, [server, ...places, ...quiet, "--bind-addr", `127.0.0.1:${port}`, folder], { stdio: "ignore" });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const view = await browser.newPage({ viewport: { width: 1280, height: 800 } });
view.setDefaultTimeout(PATIENCE);
let shot = 0;
const look = name => view.screenshot({ path: join(shots, `${++shot}-${name}.png`) });

async function command(title) {
  await view.keyboard.press("F1");
  await view.locator(".quick-input-widget input").first().fill(`>${title}`);
  await view.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().click();
}

try {
  for (let attempt = 1; ; attempt++) {
    try {
      await view.goto(`http://127.0.0.1:${port}/?folder=${folder}`);
      break;
    } catch (error) {
      if (attempt === 100) throw error;
      await view.waitForTimeout(300);
    }
  }
  await view.locator(".explorer-folders-view .monaco-list-row", { hasText: "model.rcp" }).dblclick();
  await view.locator(".view-line", { hasText: "sent0" }).waitFor();
  await view.locator(".squiggly-error").first().waitFor();
  await look("error");

  // The quick fix of what is marked, once the editor has seen where the cursor is.
  const fix = view.locator(".action-widget .monaco-list-row", { hasText: "sent" }).first();
  for (let attempt = 1; !(await fix.isVisible()); attempt++) {
    assert(attempt < 20, "no quick fix");
    await view.keyboard.press("Escape");
    await command("Go to Next Problem in Files");
    await view.locator(".peekview-widget, .marker-widget").first().waitFor();
    await view.keyboard.press("Escape");
    await view.keyboard.press("Control+.");
    await fix.waitFor({ timeout: PATIENCE / 20 }).catch(() => {});
  }
  await look("quick-fix");
  await view.keyboard.press("Enter");
  await view.locator(".view-line", { hasText: "init: sent = 0" }).waitFor();
  await view.locator(".squiggly-error").waitFor({ state: "detached" });
  await look("fixed");

  // Both specs from their lenses.
  await view.keyboard.press("Control+End");
  const prove = view.locator(".codelens-decoration a", { hasText: /^prove$/ });
  await prove.first().waitFor();
  await prove.nth(0).click();
  const violated = view.locator(".codelens-decoration a", { hasText: "✗" });
  await violated.first().waitFor();
  await prove.nth(1).click();
  await view.locator(".codelens-decoration a", { hasText: "✓" }).first().waitFor();
  await look("verdicts");

  // Through the counterexample.
  await violated.first().click();
  const panel = view.frameLocator("iframe.webview").frameLocator("iframe");
  await panel.locator("li[aria-current]").waitFor();
  const steps = panel.locator("li");
  assert.equal(await steps.count(), 5, "the initial state, and four sends until 3 arrives");
  await steps.nth(4).click();
  await panel.locator("li[aria-current]", { hasText: "source" }).waitFor();
  assert.match(await panel.locator("tr.changed").allInnerTexts().then(rows => rows.join("\n")), /one-load\s+3/);
  await view.locator(".view-line", { hasText: "source-sent: 3 -> 4" }).waitFor();
  await look("counterexample");
  await panel.locator("[data-step='1'] text").first().click();
  await panel.locator("li[aria-current]", { hasText: "LOAD = 1" }).waitFor();
  assert.equal(await panel.locator(".faded").count(), 2, "what comes later");
  await view.locator(".view-line", { hasText: "source-sent: 1 -> 2" }).waitFor();

  // An edit above moves the places of the next steps; one of the model ends the counterexample, whose model that was.
  const lit = () => view.evaluate(() => [...document.querySelectorAll(".view-line")].filter(it => it.textContent.includes("->")).map(it => it.textContent));
  await view.locator(".view-line", { hasText: "name: idle" }).click();
  await view.keyboard.press("Control+Home");
  await view.keyboard.press("Enter");
  await panel.locator("li").nth(3).click();
  await view.locator(".view-line", { hasText: "source-sent: 2 -> 3" }).waitFor();
  assert.ok((await lit()).every(line => /send:|take:/.test(line.replaceAll("\u00a0", " "))), `steps are at commands: ${await lit()}`);
  await look("edited");
  await view.locator(".view-line", { hasText: "name: idle" }).click();
  await view.keyboard.press("Control+H");
  await view.locator(".find-widget textarea[aria-label='Find'], .find-widget input[aria-label='Find']").first().fill("sent < 5");
  await view.locator(".find-widget textarea[aria-label='Replace'], .find-widget input[aria-label='Replace']").first().fill("sent < 2");
  await view.keyboard.press("Control+Alt+Enter");
  await view.keyboard.press("Escape");
  await view.locator("iframe.webview").waitFor({ state: "detached" });
  console.log("workbench: all passed");
} catch (error) {
  await look("failure");
  throw error;
} finally {
  await browser.close();
  editor.kill();
  rmSync(work, { recursive: true, force: true });
}

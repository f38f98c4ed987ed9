/** Pictures of the page for README and the book, light and dark. Usage: node pictures.mjs RCHECK_SMT FOLDER */
import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const [program, folder] = process.argv.slice(2).map(path => resolve(path));
const server = spawn(program, ["serve", resolve(import.meta.dirname, "../../specs/resource_allocation/modern.rcp")], { stdio: ["ignore", "inherit", "pipe"] });
const address = await new Promise(found => createInterface({ input: server.stderr }).once("line", found));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  for (const colorScheme of ["light", "dark"]) {
    const view = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme });
    const keep = name => view.screenshot({ path: join(folder, `page-${name}${colorScheme === "dark" ? "-dark" : ""}.png`) });
    await view.goto(address);
    await view.locator("#specs li[data-spec]").first().waitFor();
    await view.locator("#prove").click();
    await view.getByText("Step through").first().waitFor();
    await view.waitForFunction(() => !document.querySelector("[id^=spec-cancel]"));
    await view.getByText("Step through").first().click();
    await view.locator("#trace [aria-current]").waitFor();
    await view.keyboard.press("ArrowDown");
    await view.keyboard.press("ArrowDown");
    await view.locator("#editor .lit").first().waitFor();
    await keep("counterexample");
    await view.locator("#tab-explorer").click();
    const says = words => view.locator("#explorer .row [role=status]", { hasText: words }).waitFor();
    await says(/^60 states, /);
    await view.getByRole("button", { name: "Explore 5000" }).click();
    await says(/all that there are/);
    await view.getByRole("searchbox", { name: "condition" }).fill("client1-cLink = empty");
    await view.getByRole("button", { name: "Find" }).click();
    await says(/^\d+ of all /);
    await view.mouse.move(5, 795);
    await keep("states");
    await view.close();
  }
} finally {
  await browser.close();
  server.kill();
}

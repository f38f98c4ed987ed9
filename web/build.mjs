/** Bundles the page into src/cli/serve/page, where the program takes it from. The first line of the bundle has a hash of
    the sources, which a test of the program compares, so that neither changes without the other. */
import { createHash } from "node:crypto";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const here = import.meta.dirname;
const page = join(here, "../src/cli/serve/page");
const sources = ["package-lock.json", ...readdirSync(join(here, "src")).sort().map(name => `src/${name}`)];
const hash = createHash("sha256");
for (const name of sources) hash.update(readFileSync(join(here, name)));
const banner = `/* web/ ${hash.digest("hex")}; licences: licences.txt */`;

await build({
  entryPoints: [join(here, "src/main.ts")], outfile: join(page, "page.js"), bundle: true, minify: true, format: "esm",
  target: "es2022", charset: "utf8", legalComments: "none", banner: { js: banner },
});
for (const name of ["index.html", "page.css"]) copyFileSync(join(here, "src", name), join(page, name));

const lock = JSON.parse(readFileSync(join(here, "package-lock.json"), "utf8"));
const bundled = Object.entries(lock.packages).filter(([path, it]) => path && !it.dev && !it.optional);
const licences = bundled.map(([path, it]) => {
  const file = readdirSync(join(here, path)).find(name => /^licen[cs]e/i.test(name));
  if (!file) throw new Error(`${path} has no licence`);
  return `${path.replace("node_modules/", "")} ${it.version}\n\n${readFileSync(join(here, path, file), "utf8").trim()}\n`;
});
writeFileSync(join(page, "licences.txt"), licences.join(`\n${"-".repeat(72)}\n\n`));

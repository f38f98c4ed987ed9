/** The specs, with verdicts as they come. */
import { button, byId, element } from "./dom";
import type { Editor, Problem } from "./editor";
import type { Overview, Result, Spec } from "./server";

/** A spec is being verified. */
class Asked { readonly isAsked = true; }
type Known = Result | Asked | { error: string };

/** Specs change their numbers when the text changes; the key stays the same while the spec does. */
interface Named extends Spec { key: string }

function named(specs: Spec[]): Named[] {
  const seen = new Map<string, number>();
  return specs.map(spec => {
    const said = JSON.stringify([spec.name, spec.text]), before = seen.get(said) ?? 0;
    seen.set(said, before + 1);
    return { ...spec, key: `${said} ${before}` };
  });
}

export class Specs {
  private readonly panel = byId("specs");
  private readonly known = new Map<string, Known>();
  private specs: Named[] = [];
  /** The text of which these are the specs. */
  private version = 0;
  private readonly problems = element("ul", { class: "specs", id: "problems", "aria-label": "Errors" });

  constructor(private readonly editor: Editor, private readonly showTrace: (spec: number) => unknown, private readonly play: (model: string) => unknown) {}

  /** Another model is opened. */
  forget() {
    this.known.clear();
    this.specs = [];
  }

  /** The model was opened or changed: what the server still knows of it is shown. A change meanwhile asks again. */
  async refresh() {
    const { version } = this.editor;
    const overview = await this.editor.ask<Overview>("overview").catch((error: Error) => error);
    if (version !== this.editor.version) return;
    if (overview instanceof Error) {
      this.specs = [];
      this.version = version;
      this.panel.replaceChildren(element("p", { class: "empty" }, `There is nothing to verify: ${overview.message}.`), this.problems);
      return;
    }
    const results = await this.editor.ask<Result[]>("results").catch(() => []);
    if (version !== this.editor.version) return;
    this.specs = named(overview.specs);
    this.version = version;
    for (const [key, known] of this.known) if (!(known instanceof Asked)) this.known.delete(key);
    for (const { key, spec } of this.specs) {
      const result = results.find(it => it.spec === spec);
      if (result) this.known.set(key, result);
    }
    this.draw();
  }

  /** The number that a spec has in the present text. */
  private async number(key: string): Promise<number> {
    if (this.version !== this.editor.version) await this.refresh();
    const spec = this.specs.find(it => it.key === key);
    if (this.version !== this.editor.version || !spec) throw new Error("The model has changed: try again.");
    return spec.spec;
  }

  async proveAll() {
    if (this.version !== this.editor.version) await this.refresh();
    await Promise.all(this.specs.map(it => this.prove(it.key)));
  }

  private async prove(key: string) {
    if (this.known.get(key) instanceof Asked) return;
    const asked = new Asked();
    this.known.set(key, asked);
    this.draw();
    let version: number | undefined;
    const ask = async () => {
      const spec = await this.number(key);
      version = this.editor.version;
      return this.editor.ask<Result[]>("prove", { spec });
    };
    const answer = await ask().catch((error: Error) => error);
    if (this.known.get(key) !== asked) return;
    this.known.delete(key);
    // The server knows whether the answer is still one.
    if (version !== this.editor.version) return this.refresh();
    if (answer instanceof Error) this.known.set(key, { error: answer.message });
    else if (answer[0]) this.known.set(key, answer[0]);
    this.draw();
  }

  /** The errors and warnings of the model, each with its quick fixes. */
  wrong(problems: Problem[]) {
    this.problems.replaceChildren(...problems.map(({ line, message, code, go, fixes }) => {
      const [first, ...more] = message.split("\n");
      const buttons = fixes.map(it => button(it.title, it.apply, { class: "main" }));
      return element("li", {}, element("span", { class: "mark bad", "aria-hidden": "true" }, "✗"),
        element("span", {}, button(`line ${line}: ${first}`, go, { class: "name", title: "Show it in the text" })), element("span", { class: "quiet" }, code ?? ""),
        more.length > 0 && element("span", { class: "wide quiet" }, more.join("\n")), buttons.length > 0 && element("span", { class: "wide row" }, ...buttons));
    }));
  }

  private draw() {
    const results = this.specs.map(it => this.known.get(it.key)).filter(it => it !== undefined && "verdict" in it);
    const count = (verdict: string) => results.filter(it => it.verdict === verdict).length;
    const said = [`${this.specs.length} ${this.specs.length === 1 ? "spec" : "specs"}`];
    for (const verdict of ["holds", "violated", "unknown"]) if (count(verdict) > 0) said.push(`${count(verdict)} ${verdict === "holds" && count(verdict) > 1 ? "hold" : verdict}`);
    const list = element("ul", { class: "specs" }, ...this.specs.map(spec => this.item(spec)));
    const focused = document.activeElement?.id;
    this.panel.replaceChildren(element("p", { class: "quiet", role: "status" }, said.join(" · ")), list);
    // A button to prove may be one to cancel by now.
    const [, of] = /^spec-\w+-(\d+)$/.exec(focused ?? "") ?? [];
    if (focused && of) (document.getElementById(focused) ?? list.querySelector<HTMLElement>(`[data-spec="${of}"] button:not(.name)`))?.focus({ preventScroll: true });
    if (this.specs.length === 0) this.panel.append(element("p", { class: "empty" }, "There is no property to verify."));
  }

  private item({ spec, name, text, range, key }: Named) {
    const known = this.known.get(key);
    const [mark, tone, words] = show(known);
    const actions = element("span", {});
    if (known instanceof Asked) actions.append(button("Cancel", async () => this.editor.ask("cancel", { spec: await this.number(key) }), { id: `spec-cancel-${spec}` }));
    else if (known && "hasTrace" in known && known.hasTrace) actions.append(button("Step through", async () => this.showTrace(await this.number(key)), { id: `spec-trace-${spec}` }));
    else if (known && "verdict" in known) actions.append(button("Why", () => this.explain(key), { id: `spec-why-${spec}` }));
    else actions.append(button("Prove", () => this.prove(key), { id: `spec-prove-${spec}` }));
    if (known && "hasStrategy" in known && known.hasStrategy) actions.append(button("Play against it", async () => this.play(await this.editor.ask<string>("strategy", { spec: await this.number(key) })), { id: `spec-play-${spec}`, title: "Opens the model with the strategy built in, in the simulator" }));
    const title = button(name ?? `spec ${spec}`, () => this.editor.goTo(range), { class: "name", title: "Show it in the text", id: `spec-name-${spec}` });
    return element("li", { "data-spec": String(spec) },
      element("span", { class: `mark ${tone}`, "aria-hidden": "true" }, mark), element("span", {}, title), actions,
      words && element("span", { class: "words wide" }, element("b", { class: tone }, words.split(" (")[0]), element("span", { class: "quiet" }, about(words))),
      element("span", { class: "formula wide" }, text));
  }

  private async explain(key: string) {
    const spec = await this.number(key);
    const said = await this.editor.ask<string>("explain", { spec });
    const item = this.panel.querySelector(`[data-spec="${spec}"]`);
    if (item?.querySelector("pre")) item.querySelector("pre")!.remove();
    else item?.append(element("pre", { class: "wide" }, ...said.trimEnd().split("\n").map(line => element("span", {}, line.replace(/^ {4}/, "")))));
  }
}

/** Time, engine and evidence, which stand in brackets. */
function about(words: string) {
  const at = words.indexOf(" (");
  return at < 0 ? "" : ` · ${words.slice(at + 2).replace(/\)$/, "").split(", ").join(" · ")}`;
}

/** Sign, tone and words. A violation that is expected is nothing bad. */
function show(known: Known | undefined): [string, string, string] {
  if (!known) return ["", "", ""];
  if (known instanceof Asked) return ["…", "quiet", "being verified"];
  if ("error" in known) return ["!", "open", known.error];
  const { verdict, agreement, words } = known;
  const plain = words.replace(/^[✓✗] /, "");
  if (agreement === "met") return [verdict === "violated" ? "✗" : "✓", "good", plain];
  if (verdict === "holds") return ["✓", agreement === "mismatch" ? "bad" : "good", plain];
  return verdict === "violated" ? ["✗", "bad", plain] : ["?", "open", plain];
}

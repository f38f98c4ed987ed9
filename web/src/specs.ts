/** The specs, with verdicts as they come. */
import { button, byId, element } from "./dom";
import type { Editor, Problem } from "./editor";
import type { Overview, Result, Spec } from "./server";

type Known = Result | "asked" | { error: string };

export class Specs {
  private readonly panel = byId("specs");
  private readonly known = new Map<number, Known>();
  private specs: Spec[] = [];
  private readonly problems = element("ul", { class: "specs", id: "problems", "aria-label": "Errors" });

  constructor(private readonly editor: Editor, private readonly showTrace: (spec: number) => void) {}

  /** The model was opened or changed: what the server still knows of it is shown. */
  async refresh() {
    const overview = await this.editor.ask<Overview>("overview").catch((error: Error) => error);
    if (overview instanceof Error) {
      this.specs = [];
      this.panel.replaceChildren(element("p", { class: "empty" }, `There is nothing to verify: ${overview.message}.`), this.problems);
      return;
    }
    const [before, now] = [this.specs, overview.specs].map(specs => new Map(specs.map(it => [it.spec, it.text])));
    this.specs = overview.specs;
    for (const [spec, known] of this.known) if (known !== "asked" || before.get(spec) !== now.get(spec)) this.known.delete(spec);
    for (const result of await this.editor.ask<Result[]>("results").catch(() => [])) if (result.spec !== null) this.known.set(result.spec, result);
    this.draw();
  }

  async prove(numbers = this.specs.map(it => it.spec)) {
    await Promise.all(numbers.map(async spec => {
      if (this.known.get(spec) === "asked") return;
      const specs = this.specs;
      this.known.set(spec, "asked");
      this.draw();
      const answer = await this.editor.ask<Result[]>("prove", { spec }).catch((error: Error) => error);
      this.known.delete(spec);
      // Its number may be another spec's by now: the server knows what the answer is about.
      if (specs !== this.specs) return this.refresh();
      if (answer instanceof Error) this.known.set(spec, { error: answer.message });
      else if (answer[0]) this.known.set(spec, answer[0]);
      this.draw();
    }));
  }

  /** What is wrong with the model, each with the ways to mend it. */
  wrong(problems: Problem[]) {
    this.problems.replaceChildren(...problems.map(({ line, message, code, go, fixes }) => {
      const [first, ...more] = message.split("\n");
      const mend = fixes.map(it => button(it.title, it.apply, { class: "main" }));
      return element("li", {}, element("span", { class: "mark bad", "aria-hidden": "true" }, "✗"),
        element("span", {}, button(`line ${line}: ${first}`, go, { class: "name", title: "Show it in the text" })), element("span", { class: "quiet" }, code ?? ""),
        more.length > 0 && element("span", { class: "wide quiet" }, more.join("\n")), mend.length > 0 && element("span", { class: "wide row" }, ...mend));
    }));
  }

  private draw() {
    const results = this.specs.map(it => this.known.get(it.spec)).filter((it): it is Result => typeof it === "object" && "verdict" in it);
    const count = (verdict: string) => results.filter(it => it.verdict === verdict).length;
    const said = [`${this.specs.length} ${this.specs.length === 1 ? "spec" : "specs"}`];
    for (const verdict of ["holds", "violated", "unknown"]) if (count(verdict) > 0) said.push(`${count(verdict)} ${verdict === "holds" && count(verdict) > 1 ? "hold" : verdict}`);
    const list = element("ul", { class: "specs" }, ...this.specs.map(spec => this.item(spec)));
    const focused = document.activeElement?.id;
    this.panel.replaceChildren(element("p", { class: "quiet", role: "status" }, said.join(" · ")), list);
    if (focused?.startsWith("spec-")) document.getElementById(focused)?.focus();
    if (this.specs.length === 0) this.panel.append(element("p", { class: "empty" }, "The model has no SPEC."));
  }

  private item({ spec, name, text, range }: Spec) {
    const known = this.known.get(spec);
    const [mark, tone, words] = show(known);
    const actions = element("span", {});
    if (known === "asked") actions.append(button("Cancel", () => this.editor.ask("cancel", { spec }), { id: `spec-cancel-${spec}` }));
    else if (typeof known === "object" && "hasTrace" in known && known.hasTrace) actions.append(button("Step through", () => this.showTrace(spec), { id: `spec-trace-${spec}` }));
    else if (typeof known === "object" && "verdict" in known) actions.append(button("Why", () => this.explain(spec), { id: `spec-why-${spec}` }));
    else actions.append(button("Prove", () => this.prove([spec]), { id: `spec-prove-${spec}` }));
    const title = button(name ?? `spec ${spec}`, () => this.editor.goTo(range), { class: "name", title: "Show it in the text", id: `spec-name-${spec}` });
    return element("li", { "data-spec": String(spec) },
      element("span", { class: `mark ${tone}`, "aria-hidden": "true" }, mark), element("span", {}, title), actions,
      words && element("span", { class: "words wide" }, element("b", { class: tone }, words.split(" (")[0]), element("span", { class: "quiet" }, about(words))),
      element("span", { class: "formula wide" }, text));
  }

  private async explain(spec: number) {
    const said = await this.editor.ask<string>("explain", { spec });
    const item = this.panel.querySelector(`[data-spec="${spec}"]`);
    if (item?.querySelector("pre")) item.querySelector("pre")!.remove();
    else item?.append(element("pre", { class: "wide" }, said));
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
  if (known === "asked") return ["…", "quiet", "being verified"];
  if ("error" in known) return ["!", "open", known.error];
  const { verdict, agreement, words } = known;
  const plain = words.replace(/^[✓✗] /, "");
  if (agreement === "met") return [verdict === "violated" ? "✗" : "✓", "good", plain];
  if (verdict === "holds") return ["✓", agreement === "mismatch" ? "bad" : "good", plain];
  return verdict === "violated" ? ["✗", "bad", plain] : ["?", "open", plain];
}

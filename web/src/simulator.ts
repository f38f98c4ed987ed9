/** The simulator: what is possible as buttons, why not the rest on hover, runs as a tree. */
import { bring, button, byId, clearTips, element, tip } from "./dom";
import type { Editor } from "./editor";
import type { Beginning, Expansion, Offer, StateNode } from "./server";

/** A place in the tree of runs. */
interface Place { node: StateNode; by: Offer | null; from: Place | null; next: Place[] }

export class Simulator {
  private readonly panel = byId("simulator");
  private beginning: Beginning | undefined;
  private roots: Place[] = [];
  private here: Place | undefined;

  constructor(private readonly editor: Editor, private readonly arrived: (node: StateNode) => void) {}

  /** Begins again, if it has not begun. */
  async begin() {
    if (this.beginning) return;
    const { version } = this.editor;
    try {
      const beginning = await this.editor.ask<Beginning>("states");
      if (version !== this.editor.version) return;
      this.beginning = beginning;
      this.roots = beginning.initial.map(node => ({ node, by: null, from: null, next: [] }));
      await this.go(this.roots[0]);
    } catch (error) {
      if (version !== this.editor.version) return;
      this.panel.replaceChildren(element("p", { class: "empty" }, `There is nothing to simulate: ${(error as Error).message}.`));
    }
  }

  /** The model is another one now. */
  forget() {
    this.beginning = this.here = undefined;
    this.roots = [];
  }

  private async go(place: Place) {
    const beginning = this.beginning!;
    const { version } = this.editor;
    const { node, steps, disabled } = await this.editor.ask<Expansion>("expand", { state: place.node.state });
    // A change of the text begins again.
    if (version !== this.editor.version) return;
    this.here = place;
    clearTips();
    const offers = steps.map(step => button(step.stutter ? "nothing is possible: the system stays here" : step.words, () => this.take(step), { "data-step": step.name }));
    steps.forEach((step, at) => {
      if (step.changes.length > 0) tip(offers[at], step.changes.join("\n"));
      offers[at].addEventListener("mouseenter", () => this.editor.light(step.commands));
      offers[at].addEventListener("mouseleave", () => this.editor.light(place.by?.commands ?? []));
    });
    const shut = disabled.map(it => {
      const made = button(it.name, () => this.editor.goTo(it.range), { class: "shut", "aria-label": `${it.name}: not possible` });
      tip(made, it.why);
      return made;
    });
    const near = shut.filter((_, at) => disabled[at].here), far = shut.filter((_, at) => !disabled[at].here);
    const before = place.from?.node.values;
    const rows = node.values.map((value, at) => {
      const changed = before !== undefined && before[at] !== value;
      return element("tr", { class: changed ? "changed" : undefined }, element("td", {}, beginning.names[at]), element("td", { class: "old" }, changed ? `${before[at]} →` : ""), element("td", {}, value));
    });
    const more = element("details", {}, element("summary", {}, `${far.length} more, of other automaton states`), element("div", { class: "chips" }, ...far));
    const open = this.panel.querySelector("details")?.open;
    if (open) more.open = true;
    const focused = this.panel.contains(document.activeElement) ? document.activeElement! : undefined;
    const after = `after ${depth(place)} ${depth(place) === 1 ? "step" : "steps"}`;
    this.panel.replaceChildren(
      element("div", { class: "row" },
        button("Back", () => place.from && this.go(place.from), place.from ? { id: "back" } : { id: "back", disabled: true }),
        button("Random step", () => steps.length > 0 && this.take(steps[Math.floor(Math.random() * steps.length)]), { id: "random" }),
        element("span", { class: "quiet", role: "status" }, after)),
      element("div", { class: "columns" },
        element("div", {},
          element("h2", {}, "Possible"), element("div", { class: "offers", id: "offers" }, ...offers),
          shut.length > 0 && element("h2", {}, "Not possible"), element("div", { class: "chips" }, ...near), far.length > 0 && more,
          element("h2", {}, "Runs"), element("div", { class: "tree" }, this.tree(this.roots))),
        element("div", { class: "state", tabindex: "0", role: "group", "aria-label": "State" }, element("h2", {}, "State"), element("table", {}, ...rows))));
    if (focused) {
      const again = focused.closest(".tree") ? this.panel.querySelector<HTMLElement>(".tree [aria-current]") : document.getElementById(focused.id);
      (again?.matches("button:not(:disabled), [tabindex]") ? again : offers[0])?.focus({ preventScroll: true });
    }
    bring(this.panel.querySelector(".state .changed"), this.panel.querySelector(".state")!);
    this.editor.light(place.by?.commands ?? []);
    this.arrived(node);
  }

  private take(step: Offer) {
    const here = this.here!;
    const known = here.next.find(it => it.by!.words === step.words && it.node.state === step.target.state);
    const place = known ?? { node: step.target, by: step, from: here, next: [] };
    if (!known) here.next.push(place);
    return this.go(place);
  }

  /** Runs without branches are lists; only branches are indented. */
  private tree(places: Place[]): HTMLUListElement {
    const items: HTMLLIElement[] = [];
    for (const start of places) {
      const item = element("li");
      let place = start;
      for (;;) {
        const shown = place;
        const words = place.by ? place.by.name : places.length > 1 ? `initial state ${place.node.state + 1}` : "initial state";
        const made = button(words, () => this.go(shown), { title: place.by?.words ?? "" });
        if (place === this.here) made.setAttribute("aria-current", "true");
        item.append(element("div", {}, made));
        if (place.next.length !== 1) break;
        place = place.next[0];
      }
      if (place.next.length > 1) item.append(this.tree(place.next));
      items.push(item);
    }
    return element("ul", {}, ...items);
  }
}

function depth(place: Place): number {
  let steps = 0;
  for (let it: Place | null = place.from; it; it = it.from) steps += 1;
  return steps;
}

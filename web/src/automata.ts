/** The automata of the agents, with the states marked that instances are in. */
import { byId, element, exports, framed, picture } from "./dom";
import type { Editor } from "./editor";
import type { Overview, StateNode } from "./server";

export class Automata {
  private readonly panel = byId("automata");
  private svg: SVGSVGElement | undefined;
  private overview: Overview | undefined;
  private node: StateNode | undefined;
  private legend = element("span", { class: "quiet" });

  constructor(private readonly editor: Editor) {}

  async draw() {
    if (this.svg) return;
    const { version } = this.editor;
    try {
      const text = await this.editor.ask<string>("automata");
      const overview = await this.editor.ask<Overview>("overview");
      if (version !== this.editor.version) return;
      this.overview = overview;
      this.svg = picture(text);
      const { box, tools } = framed(this.svg, "Structure automata");
      this.panel.replaceChildren(element("div", { class: "row" }, this.legend, element("span", { class: "space" }), ...tools, ...exports(text, "automata")), box);
      this.mark(this.node);
    } catch (error) {
      if (version !== this.editor.version) return;
      this.panel.replaceChildren(element("p", { class: "empty" }, `There are no automata: ${(error as Error).message}.`));
    }
  }

  forget() {
    this.svg = this.node = undefined;
  }

  /** Marks where the instances are. */
  mark(node: StateNode | undefined) {
    this.node = node;
    if (!this.svg || !this.overview) return;
    this.svg.querySelectorAll(".present").forEach(it => it.classList.remove("present"));
    this.legend.textContent = node ? "Marked: where the instances are." : "The simulator marks where the instances are.";
    const graphs = [...this.svg.querySelectorAll(".graph")];
    this.overview.instances.forEach(({ agent }, at) => {
      const graph = graphs[this.overview!.agents.indexOf(agent)];
      if (node) graph?.querySelector(`[data-node="${node.automata[at]}"]`)?.classList.add("present");
    });
    this.svg.querySelector(".present")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

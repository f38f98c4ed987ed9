/** A counterexample: its chart, its steps and the state, stepped through by keys and mouse. */
import { button, byId, element, exports, framed, picture } from "./dom";
import type { Editor } from "./editor";
import type { Trace } from "./server";

export class Stepper {
  private readonly panel = byId("trace");
  private trace: Trace | undefined;
  private at = 0;
  private list = element("ol", { class: "steps" });
  private table = element("table");
  private where = element("span", { class: "quiet", role: "status" });
  private chart: SVGSVGElement | undefined;

  constructor(private readonly editor: Editor) {
    this.clear();
    this.panel.addEventListener("keydown", event => {
      const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
      if (by === undefined || !this.trace) return;
      event.preventDefault();
      this.go(this.at + by, true);
    });
  }

  clear() {
    this.trace = undefined;
    this.editor.light([]);
    this.panel.replaceChildren(element("p", { class: "empty" }, "Prove the specs; a violated one can be stepped through here."));
  }

  async show(spec: number) {
    const trace = await this.editor.ask<Trace>("trace", { spec });
    this.trace = trace;
    this.chart = picture(trace.chart);
    this.chart.querySelectorAll<SVGGElement>("[data-step]").forEach(it => it.addEventListener("click", () => this.go(Number(it.dataset.step) + 1, true)));
    const words = ["initial state", ...trace.steps.map(it => it.words)];
    const rows = words.map((it, at) => element("li", {}, button(it + (trace.loopStart === at ? "  (the run comes back to here)" : ""), () => this.go(at, false))));
    this.list = element("ol", { class: "steps" }, ...rows);
    this.table = element("table");
    const { box, tools: zooms } = framed(this.chart, "Message sequence chart");
    const tools = element("div", { class: "row" },
      button("‹", () => this.go(this.at - 1, false), { "aria-label": "Step back" }), button("›", () => this.go(this.at + 1, false), { "aria-label": "Step on" }),
      this.where, element("span", { class: "space" }), ...zooms, ...exports(trace.chart, `spec-${spec}`));
    this.panel.replaceChildren(tools, element("div", { class: "split" }, box, element("div", { tabindex: "0", role: "group", "aria-label": "Steps" }, this.list), element("div", { tabindex: "0", role: "group", "aria-label": "State" }, this.table)));
    this.go(0, true);
  }

  private go(to: number, focus: boolean) {
    const { trace } = this;
    if (!trace) return;
    this.at = Math.min(Math.max(to, 0), trace.steps.length);
    this.where.textContent = `step ${this.at} of ${trace.steps.length}`;
    this.list.querySelectorAll("button").forEach((it, at) => {
      if (at !== this.at) return it.removeAttribute("aria-current");
      it.setAttribute("aria-current", "step");
      it.scrollIntoView({ block: "nearest" });
      if (focus) it.focus({ preventScroll: true });
    });
    this.chart?.querySelectorAll<SVGGElement>("[data-step]").forEach(it => {
      it.classList.toggle("faded", Number(it.dataset.step) >= this.at);
      if (Number(it.dataset.step) === this.at - 1) it.scrollIntoView({ block: "nearest" });
    });
    const before = new Map(trace.states[Math.max(this.at - 1, 0)]);
    const rows = trace.states[this.at].map(([name, value]) => {
      const old = before.get(name);
      const changed = old !== value;
      return element("tr", { class: changed ? "changed" : undefined }, element("td", {}, name), element("td", { class: "old" }, changed ? `${old} →` : ""), element("td", {}, value));
    });
    this.table.replaceChildren(...rows);
    this.editor.light(this.at > 0 ? trace.steps[this.at - 1].commands : []);
  }
}

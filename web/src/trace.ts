/** A counterexample: its chart, its steps and the state, stepped through by keys and mouse. */
import { bring, button, byId, element, exports, framed, picture } from "./dom";
import type { Editor } from "./editor";
import type { Trace } from "./server";

export class Stepper {
  private readonly panel = byId("trace");
  private trace: Trace | undefined;
  private at = 0;
  private list = element("ol", { class: "steps" });
  private table = element("table");
  private state = element("div");
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
    const { version } = this.editor;
    const trace = await this.editor.ask<Trace>("trace", { spec });
    // It may be none any more.
    if (version !== this.editor.version) return;
    this.trace = trace;
    this.chart = picture(trace.chart);
    this.chart.querySelectorAll<SVGGElement>("[data-step]").forEach(it => it.addEventListener("click", () => this.go(Number(it.dataset.step) + 1, true)));
    const words = ["initial state", ...trace.steps.map(it => it.words)];
    const rows = words.map((it, at) => element("li", {}, button(it + (trace.loopStart === at ? "  (the run comes back to here)" : ""), () => this.go(at, false))));
    this.list = element("ol", { class: "steps" }, ...rows);
    this.table = element("table", {}, ...trace.states[0].map(([name]) => element("tr", {}, element("td", {}, name), element("td", { class: "old" }), element("td"))));
    this.state = element("div", { tabindex: "0", role: "group", "aria-label": "State" }, this.table);
    const { box, tools: zooms } = framed(this.chart, "Message sequence chart");
    const tools = element("div", { class: "row" },
      button("‹", () => this.go(this.at - 1, false), { "aria-label": "Step back" }), button("›", () => this.go(this.at + 1, false), { "aria-label": "Step on" }),
      this.where, element("span", { class: "space" }), ...zooms, ...exports(trace.chart, `spec-${spec}`));
    this.panel.replaceChildren(tools, element("div", { class: "split" }, box, element("div", { tabindex: "0", role: "group", "aria-label": "Steps" }, this.list), this.state));
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
    // Only what is another one is drawn again.
    const before = trace.states[Math.max(this.at - 1, 0)];
    trace.states[this.at].forEach(([, value], row) => {
      const old = before[row][1], { cells, classList } = this.table.rows[row];
      classList.toggle("changed", old !== value);
      const words = ["", old === value ? "" : `${old} →`, value];
      for (const at of [1, 2]) if (cells[at].textContent !== words[at]) cells[at].textContent = words[at];
    });
    bring(this.table.querySelector(".changed"), this.state);
    this.editor.light(this.at > 0 ? trace.steps[this.at - 1].commands : []);
  }
}

/** The state space, on a canvas: only what is in sight is drawn, and words only where they can be read. */
import { button, byId, element } from "./dom";
import type { Editor } from "./editor";
import type { Arc, Beginning, Found, Overview, Part, StateNode } from "./server";

interface Dot { node: StateNode; x: number; y: number; layer: number; from: number[] }

const APART = 46, LAYER = 90, RADIUS = 9;

export class Explorer {
  private readonly panel = byId("explorer");
  private readonly canvas = element("canvas", { tabindex: "0", role: "img", "aria-label": "Reachable states" });
  private readonly card = element("div", { class: "card", role: "status" });
  private readonly said = element("span", { class: "quiet", role: "status" });
  private readonly agent = element("select", { "aria-label": "Show the steps of" });
  private beginning: Beginning | undefined;
  private dots = new Map<number, Dot>();
  private arcs: Arc[] = [];
  private open = new Set<number>();
  private found = new Set<number>();
  private chosen: number | undefined;
  private scale = 1;
  private shift = { x: 0, y: 0 };
  private drawing = false;

  constructor(private readonly editor: Editor) {
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    this.canvas.addEventListener("wheel", event => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
    }, { passive: false });
    let last: PointerEvent | undefined, moved = 0;
    this.canvas.addEventListener("pointerdown", event => { last = event; moved = 0; this.canvas.setPointerCapture(event.pointerId); });
    this.canvas.addEventListener("pointermove", event => {
      if (!last) return;
      this.shift.x += event.clientX - last.clientX;
      this.shift.y += event.clientY - last.clientY;
      moved += Math.abs(event.clientX - last.clientX) + Math.abs(event.clientY - last.clientY);
      last = event;
      this.redraw();
    });
    this.canvas.addEventListener("pointerup", event => {
      last = undefined;
      const hit = moved < 4 ? this.at(event.offsetX, event.offsetY) : undefined;
      if (hit !== undefined) void this.choose(hit);
    });
    this.canvas.addEventListener("keydown", event => {
      const by = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key];
      if (by) { this.shift.x += by[0]; this.shift.y += by[1]; this.redraw(); }
      else if (event.key === "+" || event.key === "-") this.zoom(event.key === "+" ? 1.25 : 0.8, this.canvas.clientWidth / 2, this.canvas.clientHeight / 2);
      else return;
      event.preventDefault();
    });
    this.agent.addEventListener("change", () => this.redraw());
  }

  forget() {
    this.beginning = undefined;
  }

  async begin() {
    if (this.beginning) return;
    try {
      this.beginning = await this.editor.ask<Beginning>("states");
      const { instances } = await this.editor.ask<Overview>("overview");
      this.agent.replaceChildren(element("option", { value: "" }, "all agents"), ...instances.map((it, at) => element("option", { value: String(at) }, it.name)));
      const condition = element("input", { type: "search", placeholder: "condition, as in a spec", "aria-label": "Search states by a condition", size: "24" });
      const find = element("form", { submit: event => { event.preventDefault(); void this.search(condition.value); } }, condition, " ", element("button", {}, "Find"));
      const tools = element("div", { class: "row" }, button("Explore 500", () => this.explore(500)), button("Explore 5000", () => this.explore(5000)), button("Fit", () => this.fit()), this.agent, find, this.said);
      this.panel.replaceChildren(tools, element("div", { class: "view" }, this.canvas), this.card);
      this.dots.clear();
      this.arcs = [];
      this.open.clear();
      this.found.clear();
      this.chosen = undefined;
      this.card.replaceChildren("Click a state to see it and what follows it.");
      this.add({ nodes: this.beginning.initial, edges: [], complete: false });
      this.fit();
    } catch (error) {
      this.panel.replaceChildren(element("p", { class: "empty" }, `There is no state space: ${(error as Error).message}.`));
    }
  }

  private async explore(most: number) {
    for (const { state } of this.beginning!.initial) {
      const part = await this.editor.ask<Part>("explore", { state, most });
      part.nodes.forEach(it => this.open.add(it.state));
      this.add(part);
      if (!part.complete || this.dots.size >= most) break;
    }
    this.fit();
  }

  private async search(condition: string) {
    try {
      const { states, seen, complete } = await this.editor.ask<Found>("search", { condition, most: 5000 });
      this.found = new Set(states.map(it => it.state));
      if (states.some(it => !this.dots.has(it.state))) await this.explore(5000);
      this.said.textContent = `${states.length} of ${complete ? "all" : "the first"} ${seen} states`;
    } catch (error) {
      this.said.textContent = (error as Error).message;
    }
    this.redraw();
  }

  private async choose(state: number) {
    this.chosen = state;
    const { names } = this.beginning!;
    if (!this.open.has(state)) {
      this.open.add(state);
      // The state and its successors: as many as there are steps.
      const { steps } = await this.editor.ask<{ steps: { target: StateNode; name: string; stutter: boolean }[] }>("expand", { state });
      const edges = steps.filter(it => !it.stutter).map(it => ({ from: state, to: it.target.state, name: it.name, who: this.takers(it.name) }));
      this.add({ nodes: steps.map(it => it.target), edges, complete: false });
    }
    const { node } = this.dots.get(state)!;
    const next = this.arcs.filter(it => it.from === state);
    this.card.replaceChildren(
      element("strong", {}, `State ${state}${node.initial ? " (initial)" : ""}`), element("div", { class: "formula" }, node.values.map((value, at) => `${names[at]} = ${value}`).join(", ")),
      element("div", { class: "row" }, ...next.map(it => button(`${it.name} → ${it.to}`, () => this.choose(it.to)))));
    this.redraw();
  }

  private takers(name: string) {
    return [...this.agent.options].slice(1).flatMap((it, at) => (name.startsWith(`${it.textContent}-`) ? [at] : []));
  }

  private add({ nodes, edges }: Part) {
    for (const node of nodes) if (!this.dots.has(node.state)) this.dots.set(node.state, { node, x: 0, y: 0, layer: node.initial ? 0 : Infinity, from: [] });
    const key = (it: Arc) => `${it.from} ${it.to} ${it.name}`;
    const known = new Set(this.arcs.map(key));
    for (const edge of edges) if (!known.has(key(edge))) { known.add(key(edge)); this.arcs.push(edge); }
    this.place();
    const count = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
    this.said.textContent = `${count(this.dots.size, "state")}, ${count(this.arcs.length, "step")}`;
    this.redraw();
  }

  /** Layers by distance from the initial states; within a layer by where the states before are. */
  private place() {
    const next = new Map<number, number[]>();
    for (const { from, to } of this.arcs) next.set(from, [...(next.get(from) ?? []), to]);
    this.dots.forEach(it => { it.layer = it.node.initial ? 0 : Infinity; it.from = []; });
    let layer = [...this.dots.values()].filter(it => it.node.initial);
    for (let depth = 0; layer.length > 0; depth++) {
      const middle = (it: Dot) => it.from.reduce((sum, x) => sum + x, 0) / Math.max(it.from.length, 1);
      layer.sort((a, b) => middle(a) - middle(b) || a.node.state - b.node.state);
      layer.forEach((it, at) => { it.x = (at - (layer.length - 1) / 2) * APART; it.y = depth * LAYER; });
      const following: Dot[] = [];
      for (const it of layer) for (const to of next.get(it.node.state) ?? []) {
        const dot = this.dots.get(to);
        if (!dot || dot.layer <= depth) continue;
        if (dot.layer === Infinity) { dot.layer = depth + 1; following.push(dot); }
        dot.from.push(it.x);
      }
      layer = following;
    }
  }

  private fit() {
    const dots = [...this.dots.values()];
    const [left, right] = [Math.min(...dots.map(it => it.x)) - 60, Math.max(...dots.map(it => it.x)) + 60];
    const bottom = Math.max(...dots.map(it => it.y)) + 60;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.scale = Math.min(width / (right - left), height / (bottom + 60), 1.5);
    this.shift = { x: width / 2 - ((left + right) / 2) * this.scale, y: 60 * this.scale };
    this.redraw();
  }

  private zoom(by: number, x: number, y: number) {
    const scale = Math.min(Math.max(this.scale * by, 0.005), 4);
    this.shift = { x: x - ((x - this.shift.x) * scale) / this.scale, y: y - ((y - this.shift.y) * scale) / this.scale };
    this.scale = scale;
    this.redraw();
  }

  private at(x: number, y: number): number | undefined {
    const near = (it: Dot) => Math.hypot(it.x * this.scale + this.shift.x - x, it.y * this.scale + this.shift.y - y);
    let best: Dot | undefined;
    for (const it of this.dots.values()) if (!best || near(it) < near(best)) best = it;
    return best && near(best) < Math.max(RADIUS * this.scale, 8) ? best.node.state : undefined;
  }

  private redraw() {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => { this.drawing = false; this.draw(); });
  }

  private draw() {
    const { canvas, scale } = this;
    const { clientWidth: width, clientHeight: height } = canvas;
    const sharp = devicePixelRatio;
    if (canvas.width !== width * sharp || canvas.height !== height * sharp) {
      canvas.width = width * sharp;
      canvas.height = height * sharp;
    }
    const c = canvas.getContext("2d")!;
    const dark = getComputedStyle(document.documentElement).colorScheme === "dark" || (getComputedStyle(document.documentElement).colorScheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
    const [ink, quiet, accent, hit] = dark ? ["#e6e9ee", "#565e6a", "#79b8f5", "#ffd54a"] : ["#1c2430", "#b4bcc8", "#0b63b0", "#d98200"];
    c.setTransform(sharp, 0, 0, sharp, 0, 0);
    c.clearRect(0, 0, width, height);
    const at = (it: Dot): [number, number] => [it.x * scale + this.shift.x, it.y * scale + this.shift.y];
    const within = ([x, y]: [number, number]) => x > -40 && y > -40 && x < width + 40 && y < height + 40;
    const agent = this.agent.value === "" ? undefined : Number(this.agent.value);
    const words = scale > 0.8;
    c.lineWidth = Math.max(Math.min(scale, 1.2), 0.25);
    c.font = "11px monospace";
    for (const { from, to, name, who } of this.arcs) {
      const [a, b] = [this.dots.get(from), this.dots.get(to)];
      if (!a || !b || (agent !== undefined && !who.includes(agent))) continue;
      const [start, end] = [at(a), at(b)];
      if (!within(start) && !within(end)) continue;
      c.strokeStyle = from === this.chosen ? accent : quiet;
      c.beginPath();
      c.moveTo(...start);
      if (b.layer <= a.layer) c.quadraticCurveTo((start[0] + end[0]) / 2 + 60 * scale, (start[1] + end[1]) / 2, ...end);
      else c.lineTo(...end);
      c.stroke();
      if (words && (from === this.chosen || scale > 1.4)) { c.fillStyle = ink; c.fillText(name, (start[0] + end[0]) / 2 + 4, (start[1] + end[1]) / 2); }
    }
    for (const dot of this.dots.values()) {
      const [x, y] = at(dot);
      if (!within([x, y])) continue;
      const marked = this.found.has(dot.node.state);
      const size = Math.max(RADIUS * scale, marked ? 3 : 1.2);
      c.fillStyle = marked ? hit : dot.node.initial ? accent : this.open.has(dot.node.state) ? ink : quiet;
      c.beginPath();
      c.arc(x, y, size, 0, 7);
      c.fill();
      if (dot.node.state === this.chosen) { c.strokeStyle = accent; c.lineWidth = 3; c.beginPath(); c.arc(x, y, size + 3, 0, 7); c.stroke(); c.lineWidth = Math.max(Math.min(scale, 1.2), 0.25); }
      if (words) { c.fillStyle = ink; c.fillText(String(dot.node.state), x + size + 2, y - size); }
    }
  }
}

/** The state space, on a canvas: only what is in sight is drawn, what falls onto the same spot once, and words only where they
    can be read. */
import { button, byId, element } from "./dom";
import type { Editor } from "./editor";
import type { Arc, Beginning, Expansion, Found, Overview, Part, StateNode } from "./server";

interface Dot { node: StateNode; x: number; y: number; layer: number; from: number[] }

const APART = 46, LAYER = 90, ROW = 34, RADIUS = 9;
/** So many states are there at first. */
const FIRST = 60;

export class Explorer {
  private readonly panel = byId("explorer");
  private readonly canvas = element("canvas", { tabindex: "0", role: "img", "aria-label": "Reachable states" });
  private readonly card = element("div", { class: "card", role: "status" });
  private readonly said = element("span", { class: "quiet", role: "status" });
  private readonly agent = element("select", { "aria-label": "Show the steps of" });
  private readonly merge = element("input", { type: "checkbox", id: "merge" });
  private beginning: Beginning | undefined;
  private dots = new Map<number, Dot>();
  private arcs = new Map<string, Arc>();
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
    this.merge.addEventListener("change", () => {
      this.forget();
      void this.begin();
    });
  }

  forget() {
    this.beginning = undefined;
  }

  private get merged() {
    return this.merge.checked;
  }

  async begin() {
    if (this.beginning) return;
    this.said.textContent = "";
    try {
      this.beginning = await this.editor.ask<Beginning>("states", { merged: this.merged });
      const { instances } = await this.editor.ask<Overview>("overview");
      this.agent.replaceChildren(element("option", { value: "" }, "all agents"), ...instances.map((it, at) => element("option", { value: String(at) }, it.name)));
      const condition = element("input", { type: "search", placeholder: "condition, as in a spec", "aria-label": "Search states by a condition", size: "24" });
      const find = element("form", { submit: event => { event.preventDefault(); void this.search(condition.value); } }, condition, " ", element("button", {}, "Find"));
      const { symmetric } = this.beginning;
      if (!symmetric) this.merge.checked = false;
      const alike = symmetric && element("label", { title: "States that differ only in which of the agents that are alike does what" }, this.merge, " up to symmetry");
      const tools = element("div", { class: "row" }, button("Explore 500", () => this.explore(500)), button("Explore 5000", () => this.explore(5000)), button("Fit", () => this.fit()), this.agent, alike, find, this.said);
      this.panel.replaceChildren(tools, element("div", { class: "view" }, this.canvas), this.card);
      this.dots.clear();
      this.arcs.clear();
      this.open.clear();
      this.found.clear();
      this.chosen = undefined;
      this.add({ nodes: this.beginning.initial, edges: [], whole: [], complete: false });
      await this.explore(FIRST);
      await this.choose(this.beginning.initial[0].state);
      this.fit();
    } catch (error) {
      this.panel.replaceChildren(element("p", { class: "empty" }, `There is no state space: ${(error as Error).message}.`));
    }
  }

  private async explore(most: number) {
    try {
      const part = await this.editor.ask<Part>("explore", { most, merged: this.merged });
      this.add(part);
      this.say(part.complete ? ", all that there are" : "");
      this.fit();
    } catch (error) {
      this.said.textContent = (error as Error).message;
    }
  }

  private async search(condition: string) {
    try {
      const { states, seen, complete } = await this.editor.ask<Found>("search", { condition, most: 5000, merged: this.merged });
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
      const { steps } = await this.editor.ask<Expansion>("expand", { state, merged: this.merged });
      const edges = steps.filter(it => !it.stutter).map(it => ({ from: state, to: it.target.state, name: it.name, who: this.takers(it.name) }));
      this.add({ nodes: steps.map(it => it.target), edges, whole: [state], complete: false });
    }
    const { node } = this.dots.get(state)!;
    const next = [...this.arcs.values()].filter(it => it.from === state);
    const offers = next.map(it => button(`${it.name} → ${it.to}`, () => this.choose(it.to)));
    this.card.replaceChildren(
      element("strong", {}, `State ${state}${node.initial ? ", initial" : ""}${next.length === 0 ? ", nothing follows" : ""}`),
      element("div", { class: "formula" }, node.values.map((value, at) => `${names[at]} = ${value}`).join(", ")), element("div", { class: "chips" }, ...offers));
    this.redraw();
  }

  private takers(name: string) {
    return [...this.agent.options].slice(1).flatMap((it, at) => (name.startsWith(`${it.textContent}-`) ? [at] : []));
  }

  private add({ nodes, edges, whole }: Part) {
    for (const node of nodes) if (!this.dots.has(node.state)) this.dots.set(node.state, { node, x: 0, y: 0, layer: Infinity, from: [] });
    for (const edge of edges) this.arcs.set(`${edge.from} ${edge.to} ${edge.name}`, edge);
    for (const state of whole) this.open.add(state);
    this.place();
    this.say("");
    this.redraw();
  }

  private say(more: string) {
    const count = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
    this.said.textContent = `${count(this.dots.size, "state")}, ${count(this.arcs.size, "step")}${more}`;
  }

  /** Layers by distance from the initial states; within a layer by where the states before are. Wide layers have several rows. */
  private place() {
    const next = new Map<number, number[]>();
    for (const { from, to } of this.arcs.values()) next.get(from)?.push(to) ?? next.set(from, [to]);
    this.dots.forEach(it => { it.layer = it.node.initial ? 0 : Infinity; it.from = []; });
    const widest = Math.max(24, Math.ceil(1.6 * Math.sqrt(this.dots.size)));
    let layer = [...this.dots.values()].filter(it => it.node.initial);
    for (let depth = 0, y = 0; layer.length > 0; depth++) {
      const middle = new Map(layer.map(it => [it, it.from.reduce((sum, x) => sum + x, 0) / Math.max(it.from.length, 1)]));
      layer.sort((a, b) => middle.get(a)! - middle.get(b)! || a.node.state - b.node.state);
      const rows = Math.ceil(layer.length / widest), columns = Math.ceil(layer.length / rows);
      layer.forEach((it, at) => {
        // Neighbours in the order stay neighbours: columns are filled one after the other.
        it.x = (Math.floor(at / rows) - (columns - 1) / 2) * APART;
        it.y = y + (at % rows) * ROW;
      });
      y += LAYER + (rows - 1) * ROW;
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
    let [left, right, bottom] = [0, 0, 0];
    for (const { x, y } of this.dots.values()) [left, right, bottom] = [Math.min(left, x), Math.max(right, x), Math.max(bottom, y)];
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.scale = Math.min(width / (right - left + 120), height / (bottom + 80), 1.2);
    this.shift = { x: width / 2 - ((left + right) / 2) * this.scale, y: 40 * this.scale };
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
    if (canvas.width !== Math.round(width * sharp) || canvas.height !== Math.round(height * sharp)) {
      canvas.width = Math.round(width * sharp);
      canvas.height = Math.round(height * sharp);
    }
    const c = canvas.getContext("2d")!;
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    const [ink, quiet, faint, accent, hit] = dark ? ["#e6e9ee", "#7c8694", "#454c57", "#79b8f5", "#ffd54a"] : ["#1c2430", "#8791a0", "#c9cfd8", "#0b63b0", "#d98200"];
    c.setTransform(sharp, 0, 0, sharp, 0, 0);
    c.clearRect(0, 0, width, height);
    const at = (it: Dot): [number, number] => [it.x * scale + this.shift.x, it.y * scale + this.shift.y];
    const within = (x: number, y: number) => x > -40 && y > -40 && x < width + 40 && y < height + 40;
    // What cannot be told apart is drawn once: spots of two pixels, and lines between spots of six.
    const spot = (x: number, y: number, size: number) => Math.floor(x / size) * 65536 + Math.floor(y / size);
    const agent = this.agent.value === "" ? undefined : Number(this.agent.value);
    const touched = new Set<number>();
    const words = scale > 0.8;
    c.font = "11px monospace";
    const drawn = new Set<number>();
    const [plain, lit] = [new Path2D(), new Path2D()];
    const names: [string, number, number][] = [];
    for (const { from, to, name, who } of this.arcs.values()) {
      if (agent !== undefined) {
        if (!who.includes(agent)) continue;
        touched.add(from).add(to);
      }
      const [a, b] = [this.dots.get(from)!, this.dots.get(to)!];
      const [[x, y], [u, v]] = [at(a), at(b)];
      if (!within(x, y) && !within(u, v)) continue;
      const isLit = from === this.chosen;
      if (scale < 0.25 && !isLit) {
        const key = spot(x, y, 6) * 4294967296 + spot(u, v, 6);
        if (drawn.has(key)) continue;
        drawn.add(key);
      }
      const line = isLit ? lit : plain;
      line.moveTo(x, y);
      if (b.layer <= a.layer) line.quadraticCurveTo((x + u) / 2 + 60 * scale, (y + v) / 2, u, v);
      else line.lineTo(u, v);
      if (words && (isLit || scale > 1.4)) names.push([name, (x + u) / 2 + 4, (y + v) / 2]);
    }
    c.lineWidth = Math.max(Math.min(scale, 1.2), 0.3);
    c.strokeStyle = faint;
    c.stroke(plain);
    c.lineWidth = 1.5;
    c.strokeStyle = accent;
    c.stroke(lit);
    const spots = new Set<number>();
    const layers = new Map<string, Path2D>();
    for (const dot of this.dots.values()) {
      const [x, y] = at(dot);
      if (!within(x, y)) continue;
      const marked = this.found.has(dot.node.state);
      if (scale < 0.12 && !marked) {
        const key = spot(x, y, 2);
        if (spots.has(key)) continue;
        spots.add(key);
      }
      const size = Math.max(RADIUS * scale, marked ? 2.4 : 1.2);
      const away = agent !== undefined && !touched.has(dot.node.state);
      const colour = marked ? hit : away ? faint : dot.node.initial ? accent : this.open.has(dot.node.state) ? ink : quiet;
      const path = layers.get(colour) ?? new Path2D();
      layers.set(colour, path);
      if (size < 1.4) path.rect(x - size, y - size, 2 * size, 2 * size);
      else { path.moveTo(x + size, y); path.arc(x, y, size, 0, 7); }
      if (words) names.push([String(dot.node.state), x + size + 2, y - size]);
    }
    for (const [colour, path] of layers) { c.fillStyle = colour; c.fill(path); }
    const chosen = this.chosen === undefined ? undefined : this.dots.get(this.chosen);
    if (chosen) {
      c.lineWidth = 2.5;
      c.beginPath();
      c.arc(...at(chosen), Math.max(RADIUS * scale, 2) + 3, 0, 7);
      c.stroke();
    }
    c.fillStyle = ink;
    for (const [name, x, y] of names) c.fillText(name, x, y);
  }
}

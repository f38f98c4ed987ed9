/** The state space, on a canvas: only what is in sight is drawn, and words only where they can be read. Where there are more steps
    in sight than one could tell apart, those between the same two places are drawn as one line, the thicker the more they are. */
import { button, byId, element } from "./dom";
import type { Editor } from "./editor";
import type { Arc, Beginning, Expansion, Found, Overview, Part, StateNode } from "./server";
import { isDark, onTheme } from "./theme";

interface Dot { node: StateNode; x: number; y: number; layer: number; from: number[] }

/** Steps from one place to another, places being squares. */
interface Bundle { x: number; y: number; u: number; v: number; count: number; isBack: boolean }

const APART = 46, LAYER = 90, ROW = 34, RADIUS = 9;
/** Number of states at first. */
const FIRST = 60;
/** More steps in sight are bundled, to so many lines at most. */
const MOST_STEPS = 4000, MOST_LINES = 2000;
/** Squares of bundles are at least so wide on the screen. */
const SQUARE = 8;
/** Around the picture, so that rings and bows fit. */
const MARGIN = 26;

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
  /** The steps that are shown, bundled by squares of two to this power; forgotten when others are shown. */
  private bundled = new Map<number, Bundle[]>();

  constructor(private readonly editor: Editor) {
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
    onTheme(() => this.redraw());
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
    this.agent.addEventListener("change", () => {
      this.bundled.clear();
      this.redraw();
    });
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
    const { version } = this.editor, { merged } = this, isOld = () => version !== this.editor.version || merged !== this.merged;
    try {
      const beginning = await this.editor.ask<Beginning>("states", { merged });
      const { instances } = await this.editor.ask<Overview>("overview");
      // A change meanwhile begins again.
      if (isOld()) return;
      this.beginning = beginning;
      this.agent.replaceChildren(element("option", { value: "" }, "all agents"), ...instances.map((it, at) => element("option", { value: String(at) }, it.name)));
      const condition = element("input", { type: "search", placeholder: "condition, as in a spec", "aria-label": "Search states by a condition", size: "24" });
      const find = element("form", { submit: event => { event.preventDefault(); void this.search(condition.value); } }, condition, " ", element("button", {}, "Find"));
      const { symmetric } = beginning;
      if (!symmetric) this.merge.checked = false;
      const alike = symmetric && element("label", { title: "States that differ only in which of the agents that are alike does what" }, this.merge, " up to symmetry");
      const tools = element("div", { class: "row" }, button("Explore 500", () => this.explore(500)), button("Explore 5000", () => this.explore(5000)), button("Fit", () => this.fit()), this.agent, alike, find, this.said);
      const focused = document.activeElement;
      this.panel.replaceChildren(tools, element("div", { class: "view" }, this.canvas), this.card);
      if (focused instanceof HTMLElement && this.panel.contains(focused)) focused.focus({ preventScroll: true });
      this.dots.clear();
      this.arcs.clear();
      this.open.clear();
      this.found.clear();
      this.chosen = undefined;
      this.add({ nodes: beginning.initial, edges: [], whole: [], complete: false });
      await this.explore(FIRST);
      await this.choose(beginning.initial[0].state);
      this.fit();
    } catch (error) {
      if (isOld()) return;
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
    const isInside = this.card.contains(document.activeElement);
    this.card.replaceChildren(
      element("strong", {}, `State ${state}${node.initial ? ", initial" : ""}${next.length === 0 ? ", nothing follows" : ""}`),
      element("div", { class: "chips" }, ...offers), element("div", { class: "values" }, ...node.values.map((value, at) => element("span", {}, `${names[at]} = `, element("b", {}, value)))));
    if (isInside) (offers[0] ?? this.canvas).focus({ preventScroll: true });
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
    this.bundled.clear();
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
    const within = (length: number, room: number) => Math.max(room - 2 * MARGIN, 1) / Math.max(length, 1);
    this.scale = Math.min(within(right - left, width), within(bottom, height), 1.2);
    this.shift = { x: width / 2 - ((left + right) / 2) * this.scale, y: MARGIN };
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

  private shownAgent() {
    return this.agent.value === "" ? undefined : Number(this.agent.value);
  }

  /** The steps that are shown, bundled by squares of this width. Those within a square are left out. */
  private bundles(power: number): Bundle[] {
    const known = this.bundled.get(power);
    if (known) return known;
    const width = 2 ** power, agent = this.shownAgent();
    const square = ({ x, y }: Dot) => Math.floor(x / width) * 2097152 + Math.floor(y / width);
    const found = new Map<string, Bundle>();
    for (const { from, to, who } of this.arcs.values()) {
      if (agent !== undefined && !who.includes(agent)) continue;
      const [a, b] = [this.dots.get(from)!, this.dots.get(to)!], [one, other] = [square(a), square(b)];
      if (one === other) continue;
      const isBack = b.layer <= a.layer, key = `${one} ${other} ${isBack}`;
      const bundle = found.get(key) ?? { x: 0, y: 0, u: 0, v: 0, count: 0, isBack };
      found.set(key, bundle);
      bundle.x += a.x; bundle.y += a.y; bundle.u += b.x; bundle.v += b.y; bundle.count += 1;
    }
    const all = [...found.values()];
    for (const it of all) { it.x /= it.count; it.y /= it.count; it.u /= it.count; it.v /= it.count; }
    this.bundled.set(power, all);
    return all;
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
    const [ink, quiet, faint, accent, hit] = isDark() ? ["#e6e9ee", "#8b96a5", "#566070", "#79b8f5", "#ffd54a"] : ["#1c2430", "#7a8596", "#aab3c0", "#0b63b0", "#d98200"];
    c.setTransform(sharp, 0, 0, sharp, 0, 0);
    c.clearRect(0, 0, width, height);
    const at = (it: Dot): [number, number] => [it.x * scale + this.shift.x, it.y * scale + this.shift.y];
    const within = (x: number, y: number) => x > -40 && y > -40 && x < width + 40 && y < height + 40;
    const agent = this.shownAgent();
    const words = scale > 0.8;
    const names: [string, number, number][] = [];
    const trace = (line: Path2D, x: number, y: number, u: number, v: number, isBack: boolean) => {
      line.moveTo(x, y);
      if (isBack) line.quadraticCurveTo((x + u) / 2 + 60 * scale, (y + v) / 2, u, v);
      else line.lineTo(u, v);
    };
    const touched = new Set<number>(), seen: [Arc, Dot, Dot][] = [];
    for (const arc of this.arcs.values()) {
      if (agent !== undefined) {
        if (!arc.who.includes(agent)) continue;
        touched.add(arc.from).add(arc.to);
      }
      const [a, b] = [this.dots.get(arc.from)!, this.dots.get(arc.to)!];
      if (within(...at(a)) || within(...at(b))) seen.push([arc, a, b]);
    }
    const [lit, thin, thick, thicker] = [new Path2D(), new Path2D(), new Path2D(), new Path2D()];
    const isBundled = seen.length > MOST_STEPS;
    for (const [{ from, name }, a, b] of seen) {
      const isLit = from === this.chosen;
      if (isBundled && !isLit) continue;
      const [[x, y], [u, v]] = [at(a), at(b)];
      trace(isLit ? lit : thin, x, y, u, v, b.layer <= a.layer);
      if (words && (isLit || scale > 1.4)) names.push([name, (x + u) / 2 + 4, (y + v) / 2]);
    }
    if (isBundled) {
      const place = (it: Bundle) => [it.x * scale + this.shift.x, it.y * scale + this.shift.y, it.u * scale + this.shift.x, it.v * scale + this.shift.y];
      const inSight = (power: number) => this.bundles(power).filter(it => {
        const [x, y, u, v] = place(it);
        return within(x, y) || within(u, v);
      });
      let power = Math.ceil(Math.log2(SQUARE / scale)), drawn = inSight(power);
      while (drawn.length > MOST_LINES) drawn = inSight(++power);
      for (const it of drawn) {
        const [x, y, u, v] = place(it);
        trace(it.count < 6 ? thin : it.count < 30 ? thick : thicker, x, y, u, v, it.isBack);
      }
    }
    c.strokeStyle = faint;
    for (const [path, line] of [[thin, Math.max(Math.min(scale, 1.2), 0.7)], [thick, 1], [thicker, 1.5]] as const) {
      c.lineWidth = line;
      c.stroke(path);
    }
    c.lineWidth = 1.5;
    c.strokeStyle = accent;
    c.stroke(lit);
    const layers = new Map<string, [number, number, number][]>();
    for (const dot of this.dots.values()) {
      const [x, y] = at(dot);
      if (!within(x, y)) continue;
      const marked = this.found.has(dot.node.state);
      const size = Math.max(RADIUS * scale, marked ? 2.4 : 1.2);
      const away = agent !== undefined && !touched.has(dot.node.state);
      const colour = marked ? hit : away ? faint : dot.node.initial ? accent : this.open.has(dot.node.state) ? ink : quiet;
      const spots = layers.get(colour) ?? [];
      layers.set(colour, spots);
      spots.push([x, y, size]);
      if (words) names.push([String(dot.node.state), x + size + 2, y - size]);
    }
    for (const [colour, spots] of layers) {
      c.fillStyle = colour;
      for (const [x, y, size] of spots) {
        if (size < 2) { c.fillRect(x - size, y - size, 2 * size, 2 * size); continue; }
        c.beginPath();
        c.arc(x, y, size, 0, 7);
        c.fill();
      }
    }
    const chosen = this.chosen === undefined ? undefined : this.dots.get(this.chosen);
    if (chosen) {
      c.lineWidth = 2.5;
      c.beginPath();
      c.arc(...at(chosen), Math.max(RADIUS * scale, 2) + 3, 0, 7);
      c.stroke();
    }
    c.font = "11px monospace";
    c.fillStyle = ink;
    for (const [name, x, y] of names) c.fillText(name, x, y);
  }
}

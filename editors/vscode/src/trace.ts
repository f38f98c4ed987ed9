/** Counterexamples: a panel with the chart, the steps and the state, and the commands of the present step in the source. */
import * as vscode from "vscode";
import { LanguageClient, Range } from "vscode-languageclient/node";
import { data, page } from "./page";
import { ask, Result, Trace } from "./server";

/** Places are looked up anew when a text has been as it is for so long. */
const QUIET = 300;

const STYLE = `
body { display: grid; grid-template: auto 1fr / minmax(14em, 1fr) minmax(12em, 1fr); gap: 0 1.5em; }
.chart { grid-column: 1 / 3; overflow: auto; max-height: 60vh; background: white; }
ol { padding-left: 2em; } table { align-self: start; margin-top: 1em; } li { cursor: pointer; padding: 2px 4px; }
li:hover { background: var(--vscode-list-hoverBackground); }
li[aria-current] { background: var(--vscode-list-activeSelectionBackground); color: var(--vscode-list-activeSelectionForeground); }
.step { cursor: pointer; } .faded { opacity: .3; }
td { padding: 1px 1em 1px 0; font-family: var(--vscode-editor-font-family); }
tr.changed { font-weight: bold; }`;

const SCRIPT = `
const host = acquireVsCodeApi();
const list = document.querySelector("ol"), table = document.querySelector("table");
const drawn = [...document.querySelectorAll("[data-step]")];
drawn.forEach(step => { step.onclick = () => host.postMessage(Number(step.dataset.step) + 1); });
["in the initial state", ...trace.steps.map(step => step.words)].forEach((words, at) => {
  const item = list.appendChild(document.createElement("li"));
  item.textContent = words + (trace.loopStart === at ? " (the run comes back to here)" : "");
  item.tabIndex = 0;
  item.onclick = () => host.postMessage(at);
  item.onkeydown = event => { if (event.key === "Enter") host.postMessage(at); };
});
document.addEventListener("keydown", event => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    host.postMessage(event.key === "ArrowDown" ? "next" : "previous");
    event.preventDefault();
  }
});
window.addEventListener("message", ({ data: at }) => {
  [...list.children].forEach((item, index) => {
    if (index === at) { item.setAttribute("aria-current", "step"); item.scrollIntoView({ block: "nearest" }); }
    else item.removeAttribute("aria-current");
  });
  drawn.forEach(step => {
    step.classList.toggle("faded", Number(step.dataset.step) >= at);
    if (Number(step.dataset.step) === at - 1) step.scrollIntoView({ block: "nearest" });
  });
  const before = new Map(trace.states[Math.max(at - 1, 0)]);
  table.replaceChildren(...trace.states[at].map(([name, value]) => {
    const row = document.createElement("tr");
    if (before.get(name) !== value) row.className = "changed";
    row.append(...[name, value].map(text => Object.assign(document.createElement("td"), { textContent: text })));
    return row;
  }));
});
host.postMessage("ready");`;

export class Stepper implements vscode.Disposable {
  private readonly panel: vscode.WebviewPanel;
  private readonly lit = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.stackFrameHighlightBackground"),
  });
  private position = 0;
  private timer: NodeJS.Timeout | undefined;
  private version: number;
  private isGone = false;

  constructor(
    private readonly client: LanguageClient,
    private readonly document: vscode.TextDocument,
    private trace: Trace,
    private readonly ended: () => void,
  ) {
    this.version = document.version;
    const beside = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    this.panel = vscode.window.createWebviewPanel("rcheck-smt.trace", `Spec ${trace.spec}`, beside, { enableScripts: true });
    const body = `<div class="chart">${trace.chart}</div><ol start="0"></ol><table></table>`;
    this.panel.webview.html = page(STYLE, body, `const trace = ${data(trace)};${SCRIPT}`);
    this.panel.webview.onDidReceiveMessage((said: number | string) => {
      if (said === "ready") this.go(this.position);
      else if (typeof said === "number") this.go(said);
      else this.move(said === "next" ? 1 : -1);
    });
    this.panel.onDidDispose(() => this.dispose());
  }

  /** Goes so many steps on. */
  move(steps: number): Promise<void> {
    return this.go(Math.min(Math.max(this.position + steps, 0), this.trace.steps.length));
  }

  /** The text may have changed: then other places take part, or it is another model, of which this is no run. */
  changed(uri: vscode.Uri): void {
    if (uri.toString() !== this.uri || this.document.version === this.version) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.go(this.position), QUIET);
  }

  private get uri(): string {
    return this.document.uri.toString();
  }

  /** Takes the places of the present text, if it still has this counterexample, whatever its spec's number is by now. A text with
      errors has none until they are corrected. */
  private async renew(): Promise<"same" | "other" | "errors"> {
    while (this.document.version !== this.version) {
      const { version } = this.document;
      const results = await ask<Result[]>(this.client, "results", { uri: this.uri }).catch(() => undefined);
      if (!results) return "errors";
      const specs = results.flatMap(it => (it.hasTrace && it.spec !== null ? [it.spec] : []));
      const traces = await Promise.all(specs.map(spec => ask<Trace>(this.client, "trace", { uri: this.uri, spec }).catch(() => undefined)));
      if (this.document.version !== version) continue;
      const same = traces.find(it => it?.chart === this.trace.chart);
      if (!same) return "other";
      this.trace = same;
      this.version = version;
    }
    return "same";
  }

  private async go(position: number): Promise<void> {
    this.position = position;
    const text = await this.renew();
    if (text === "other") return this.dispose();
    if (text === "errors") return this.light([]);
    await ask(this.client, "step", { uri: this.uri, spec: this.trace.spec, position });
    if (this.isGone) return;
    await this.panel.webview.postMessage(position);
    this.light(position > 0 ? this.trace.steps[position - 1].commands : []);
  }

  private light(taken: Range[]): void {
    const places = taken.map(it => new vscode.Range(it.start.line, it.start.character, it.end.line, it.end.character));
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.toString() !== this.uri) continue;
      editor.setDecorations(this.lit, places);
      if (places.length > 0) editor.revealRange(new vscode.Range(places[0].start, places[0].start), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  dispose(): void {
    if (this.isGone) return;
    this.isGone = true;
    clearTimeout(this.timer);
    this.lit.dispose();
    this.panel.dispose();
    this.ended();
    // A server that has ended shows no steps any more.
    ask(this.client, "step", { uri: this.uri, spec: this.trace.spec }).catch(() => undefined);
  }
}

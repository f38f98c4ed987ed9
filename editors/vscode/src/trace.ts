/** Counterexamples: a panel with the chart, the steps and the state, and the commands of the present step in the source. */
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";
import { data, page } from "./page";
import { ask, Trace } from "./server";

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
  private isGone = false;

  constructor(
    private readonly client: LanguageClient,
    private readonly uri: vscode.Uri,
    private readonly trace: Trace,
    private readonly ended: () => void,
  ) {
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

  private async go(position: number): Promise<void> {
    this.position = position;
    await ask(this.client, "step", { uri: this.uri.toString(), spec: this.trace.spec, position });
    if (this.isGone) return;
    await this.panel.webview.postMessage(position);
    const taken = position > 0 ? this.trace.steps[position - 1].commands : [];
    const places = taken.map(it => new vscode.Range(it.start.line, it.start.character, it.end.line, it.end.character));
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.toString() !== this.uri.toString()) continue;
      editor.setDecorations(this.lit, places);
      if (places.length > 0) editor.revealRange(new vscode.Range(places[0].start, places[0].start), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  dispose(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.lit.dispose();
    this.panel.dispose();
    this.ended();
    // A server that has ended shows no steps any more.
    ask(this.client, "step", { uri: this.uri.toString(), spec: this.trace.spec }).catch(() => undefined);
  }
}

/** The verdicts known of the specs of the model that is looked at. */
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";
import { ask, LANGUAGES, Result } from "./server";

/** The server is asked when a text has been as it is for so long. */
const QUIET = 300;

export class Results implements vscode.TreeDataProvider<Result> {
  private readonly other = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.other.event;
  private uri: vscode.Uri | undefined;
  private known: Result[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly client: () => LanguageClient | undefined) {}

  /** Looks again, at another model if one has come to the front. What is shown changes if the results do. */
  async refresh(editor = vscode.window.activeTextEditor): Promise<void> {
    if (editor && LANGUAGES.includes(editor.document.languageId)) this.uri = editor.document.uri;
    const client = this.client(), { uri } = this;
    // A model with errors has no results.
    const now = client && uri ? await ask<Result[]>(client, "results", { uri: uri.toString() }).catch(() => []) : [];
    if (uri !== this.uri || JSON.stringify(now) === JSON.stringify(this.known)) return;
    this.known = now;
    this.other.fire();
  }

  /** The text or what is known of it has changed. */
  changed(uri: vscode.Uri): void {
    if (uri.toString() !== this.uri?.toString()) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), QUIET);
  }

  getChildren(result?: Result): Result[] {
    return result ? [] : this.known;
  }

  getTreeItem(result: Result): vscode.TreeItem {
    const item = new vscode.TreeItem(result.name ?? result.text);
    const bad = result.agreement === "mismatch" || (result.agreement === null && result.verdict === "violated");
    const sign = result.verdict === "unknown" ? "question" : bad ? "error" : "pass";
    item.iconPath = new vscode.ThemeIcon(sign);
    item.description = result.words;
    item.tooltip = `${result.text}\n${result.words}`;
    item.contextValue = result.asksForStrategy ? `${result.verdict} strategy` : result.verdict;
    const argument = { uri: this.uri?.toString(), spec: result.spec };
    item.command = { title: "Show", command: "rcheck-smt.show", arguments: [argument] };
    return item;
  }

  /** The model that is shown. */
  get shown(): vscode.Uri | undefined {
    return this.uri;
  }
}

/** What is known of the specs of the model that is looked at. */
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";
import { ask, Result } from "./server";

export class Results implements vscode.TreeDataProvider<Result> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private uri: vscode.Uri | undefined;

  constructor(private readonly client: () => LanguageClient | undefined) {}

  /** Looks again, at another model if one has come to the front. */
  refresh(editor = vscode.window.activeTextEditor): void {
    if (editor?.document.languageId === "rcheck") this.uri = editor.document.uri;
    this.changed.fire();
  }

  async getChildren(result?: Result): Promise<Result[]> {
    const client = this.client();
    if (result || !client || !this.uri) return [];
    // A model with errors has no results.
    return ask<Result[]>(client, "results", { uri: this.uri.toString() }).catch(() => []);
  }

  getTreeItem(result: Result): vscode.TreeItem {
    const item = new vscode.TreeItem(result.name ?? result.text);
    const bad = result.agreement === "mismatch" || (result.agreement === null && result.verdict === "violated");
    const sign = result.verdict === "unknown" ? "question" : bad ? "error" : "pass";
    item.iconPath = new vscode.ThemeIcon(sign);
    item.description = result.words;
    item.tooltip = `${result.text}\n${result.words}`;
    item.contextValue = result.verdict;
    const argument = { uri: this.uri?.toString(), spec: result.spec };
    item.command = { title: "Show", command: "rcheck-smt.show", arguments: [argument] };
    return item;
  }

  /** The model that is shown. */
  get shown(): vscode.Uri | undefined {
    return this.uri;
  }
}

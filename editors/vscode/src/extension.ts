/** The extension: the language server's client, and panels for what it says. */
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";
import { page } from "./page";
import { program, tellMissing } from "./program";
import { Results } from "./results";
import { Argument, ask, LANGUAGES, Result, Trace } from "./server";
import { simulate } from "./simulator";
import { Stepper } from "./trace";

let client: LanguageClient | undefined;
let stepper: Stepper | undefined;

async function start(results: Results): Promise<void> {
  const command = program();
  if (!command) return tellMissing();
  const more = vscode.workspace.getConfiguration("rcheck-smt").get<string[]>("arguments") ?? [];
  const started = new LanguageClient("rcheck-smt", "R-CHECK", { command, args: ["lsp", ...more] }, {
    documentSelector: LANGUAGES.map(language => ({ language })),
    // Abilities of this client that others do not have.
    initializationOptions: { showsVerdicts: true, codicons: true },
    middleware: {
      // The server publishes them whenever the text or what is known of it changes.
      handleDiagnostics: (uri, diagnostics, next) => {
        next(uri, diagnostics);
        results.changed(uri);
        stepper?.changed(uri);
      },
    },
  });
  await started.start();
  client = started;
  await results.refresh();
}

async function restart(results: Results): Promise<void> {
  stepper?.dispose();
  await client?.stop();
  client = undefined;
  await start(results);
}

/** Shows a counterexample step by step, or why a spec holds or is open. */
async function show(argument: Argument): Promise<void> {
  if (!client) return tellMissing();
  const uri = vscode.Uri.parse(argument.uri);
  const known = await ask<Result[]>(client, "results", argument);
  if (!known.some(result => result.hasTrace)) {
    const content = await ask<string>(client, "explain", argument);
    const document = await vscode.workspace.openTextDocument({ content, language: "plaintext" });
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true });
    return;
  }
  const document = await vscode.workspace.openTextDocument(uri);
  const { version } = document;
  const trace = await ask<Trace>(client, "trace", argument);
  if (document.version !== version) throw new Error("The model has changed: try again.");
  stepper?.dispose();
  const ended = () => void vscode.commands.executeCommand("setContext", "rcheck-smt.stepping", false);
  stepper = new Stepper(client, document, trace, ended);
  await vscode.commands.executeCommand("setContext", "rcheck-smt.stepping", true);
}

async function showAutomata(uri: vscode.Uri): Promise<void> {
  if (!client) return tellMissing();
  const svg = await ask<string>(client, "automata", { uri: uri.toString() });
  const panel = vscode.window.createWebviewPanel("rcheck-smt.automata", "Automata", vscode.ViewColumn.Beside);
  panel.webview.html = page("body { background: white; }", svg, "");
}

async function writeCertificate(uri: vscode.Uri, spec: number): Promise<void> {
  if (!client) return tellMissing();
  const chosen = await vscode.window.showOpenDialog({ canSelectFolders: true, canSelectFiles: false, openLabel: "Write Here" });
  if (!chosen) return;
  const argument = { uri: uri.toString(), spec, folder: chosen[0].fsPath };
  const written = await ask<Result[]>(client, "certificate", argument);
  const files = written.flatMap(result => result.evidence);
  void vscode.window.showInformationMessage(files.length > 0 ? `Written: ${files.join(", ")}` : "There is no certificate.");
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const results = new Results(() => client);
  const model = () => {
    const document = vscode.window.activeTextEditor?.document;
    return document && LANGUAGES.includes(document.languageId) ? document.uri : results.shown;
  };
  const register = (name: string, act: (...given: never[]) => unknown) => {
    const told = async (...given: never[]) => {
      try {
        await act(...given);
      } catch (error) {
        void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
      }
    };
    context.subscriptions.push(vscode.commands.registerCommand(`rcheck-smt.${name}`, told));
  };
  const ofModel = (act: (uri: vscode.Uri) => unknown) => () => {
    const uri = model();
    return uri ? act(uri) : vscode.window.showErrorMessage("Open a model (.rcp, .ispl) first.");
  };
  register("show", show);
  register("proveAll", ofModel(uri => vscode.commands.executeCommand("rcheck-smt.prove", { uri: uri.toString() })));
  register("showAutomata", ofModel(showAutomata));
  register("simulate", ofModel(async uri => {
    const command = program();
    return command ? simulate(command, await vscode.workspace.openTextDocument(uri)) : tellMissing();
  }));
  register("playStrategy", async (result: Result) => {
    const command = program();
    if (!command) return tellMissing();
    if (!results.shown || result.spec === null) return;
    await simulate(command, await vscode.workspace.openTextDocument(results.shown), ["--strategy", String(result.spec)]);
  });
  register("nextStep", () => stepper?.move(1));
  register("previousStep", () => stepper?.move(-1));
  register("endSteps", () => stepper?.dispose());
  register("writeCertificate", (result: Result) => {
    if (results.shown && result.spec !== null) return writeCertificate(results.shown, result.spec);
  });
  register("restart", () => restart(results));
  context.subscriptions.push(
    vscode.window.registerTreeDataProvider("rcheck-smt.results", results),
    vscode.window.onDidChangeActiveTextEditor(editor => void results.refresh(editor)),
    vscode.workspace.onDidChangeConfiguration(change => {
      if (change.affectsConfiguration("rcheck-smt")) void restart(results);
    }),
  );
  await start(results);
}

export async function deactivate(): Promise<void> {
  stepper?.dispose();
  await client?.stop();
}

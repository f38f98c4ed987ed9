/** The simulator: the session of `rcheck-smt simulate`, in a terminal of the editor. */
import * as vscode from "vscode";

export async function simulate(program: string, document: vscode.TextDocument, how: string[] = []): Promise<void> {
  if (!(await document.save())) {
    void vscode.window.showErrorMessage("The simulator reads the file: save the model first.");
    return;
  }
  const terminal = vscode.window.createTerminal({
    name: "R-CHECK simulator",
    shellPath: program,
    shellArgs: ["simulate", ...how, document.uri.fsPath],
    location: { viewColumn: vscode.ViewColumn.Beside },
  });
  terminal.show();
}

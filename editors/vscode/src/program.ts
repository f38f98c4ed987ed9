/** Which program is the language server. */
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import * as vscode from "vscode";

const SETTING = "rcheck-smt.path";
const FILE = process.platform === "win32" ? "rcheck-smt.exe" : "rcheck-smt";

/** A folder can be entered, which is no reason to take it for a program. */
function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The path in the setting, with `~` as shells read it. */
function named(): string {
  const path = (vscode.workspace.getConfiguration().get<string>(SETTING) ?? "").trim();
  return path === "~" || /^~[\\/]/.test(path) ? join(homedir(), path.slice(1)) : path;
}

/** The program, as the setting names it or as PATH finds it. */
export function program(): string | undefined {
  const path = named();
  const places = path ? [path] : (process.env.PATH ?? "").split(delimiter).filter(Boolean).map(folder => join(folder, FILE));
  return places.find(isProgram);
}

/** Says what was tried, and what to do. */
export function tellMissing(): void {
  const path = named();
  const message = path
    ? `${path} is no program: correct the setting \`${SETTING}\`, or empty it to take \`${FILE}\` from the PATH.`
    : `There is no program \`${FILE}\` on the PATH (${process.env.PATH ?? ""}): put it there, or name it in the setting \`${SETTING}\`.`;
  const settings = "Open Settings";
  void vscode.window.showErrorMessage(message, settings).then(choice => {
    if (choice) void vscode.commands.executeCommand("workbench.action.openSettings", SETTING);
  });
}

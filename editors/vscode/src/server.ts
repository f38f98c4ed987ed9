/** Messages of the language server, as src/lsp writes them. */
import { ExecuteCommandRequest, LanguageClient, Range } from "vscode-languageclient/node";

/** The languages of models, as package.json declares them. */
export const LANGUAGES = ["rcheck", "ispl"];

export interface Result {
  spec: number | null;
  name: string | null;
  line: number;
  text: string;
  verdict: string;
  agreement: string | null;
  words: string;
  evidence: string[];
  hasTrace: boolean;
  asksForStrategy: boolean;
}

export interface Step {
  words: string;
  /** The commands that take part, that of the sender first. */
  commands: Range[];
  changes: string[];
}

export interface Trace {
  spec: number;
  title: string;
  /** The message sequence chart, as SVG. */
  chart: string;
  /** Names and values; one state more than steps. */
  states: [string, string][][];
  steps: Step[];
  loopStart: number | null;
}

/** The argument of a command. */
export interface Argument {
  uri: string;
  spec?: number;
  position?: number;
  folder?: string;
}

export function ask<T>(client: LanguageClient, command: string, argument: Argument): Promise<T> {
  const params = { command: `rcheck-smt.${command}`, arguments: [argument] };
  return client.sendRequest(ExecuteCommandRequest.type, params) as Promise<T>;
}

/** The editor: CodeMirror with the language server behind it. */
import { autocompletion, closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { type Action, type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import {
  findReferencesKeymap, formatKeymap, hoverTooltips, jumpToDefinitionKeymap, LSPClient, LSPPlugin, renameKeymap, serverCompletion, signatureHelp,
} from "@codemirror/lsp-client";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, RangeSetBuilder, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { asked, type Listed, type Range } from "./server";
import { isDark, onTheme } from "./theme";

const light = new Compartment();
const theme = () => EditorView.theme({}, { dark: isDark() });
const setLit = StateEffect.define<Range[]>();
const setTokens = StateEffect.define<DecorationSet>();

export const offset = (doc: Text, { line, character }: { line: number; character: number }) => {
  if (line >= doc.lines) return doc.length;
  const at = doc.line(line + 1);
  return Math.min(at.from + character, at.to);
};

const field = (react: (value: DecorationSet, effect: StateEffect<unknown>, doc: Text) => DecorationSet) =>
  StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update: (value, change) => change.effects.reduce((now, effect) => react(now, effect, change.state.doc), value.map(change.changes)),
    provide: it => EditorView.decorations.from(it),
  });

const lit = field((value, effect, doc) => {
  if (!effect.is(setLit)) return value;
  const marks = effect.value.map(({ start, end }) => ({ from: offset(doc, start), to: offset(doc, end) })).filter(it => it.from < it.to);
  return Decoration.set(marks.map(({ from, to }) => Decoration.mark({ class: "lit" }).range(from, to)), true);
});
const tokens = field((value, effect) => (effect.is(setTokens) ? effect.value : value));

interface Published { uri: string; version?: number; diagnostics: { range: Range; severity?: number; message: string; code?: string; source?: string }[] }
interface Fix { title: string; diagnostics?: { range: Range; message: string }[]; edit?: { changes?: Record<string, { range: Range; newText: string }[]> } }

/** Something that is wrong with the text. */
export interface Problem { line: number; message: string; code?: string; go: () => void; fixes: { title: string; apply: () => void }[] }

export class Editor {
  private view: EditorView | undefined;
  private uri = "";
  private timer: number | undefined;
  /** Another one for every text. */
  version = 0;
  /** The model was changed, here or by the server's view of it. */
  onChange: () => void = () => {};
  /** The server has looked at the present text. */
  onLooked: (errors: Problem[]) => void = () => {};

  constructor(private readonly parent: HTMLElement, readonly client: LSPClient, private readonly over: Promise<never>) {
    onTheme(() => this.view?.dispatch({ effects: light.reconfigure(theme()) }));
  }

  open(file: Listed, text: string) {
    this.view?.destroy();
    this.uri = file.uri;
    this.version += 1;
    const changed = EditorView.updateListener.of(update => {
      if (!update.docChanged) return;
      this.version += 1;
      this.onChange();
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.paint(), 150);
    });
    this.view = new EditorView({
      parent: this.parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(), lintGutter(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(),
          highlightSelectionMatches(), search(), autocompletion(), EditorState.tabSize.of(4), light.of(theme()), lit, tokens, changed,
          EditorView.contentAttributes.of({ "aria-label": "The text of the model" }),
          keymap.of([
            ...defaultKeymap, ...historyKeymap, ...searchKeymap, ...completionKeymap, ...lintKeymap, ...formatKeymap, ...renameKeymap,
            ...jumpToDefinitionKeymap, ...findReferencesKeymap, indentWithTab,
          ]),
          this.client.plugin(file.uri, "rcheck"), serverCompletion(), hoverTooltips(), signatureHelp(),
        ],
      }),
    });
    void this.paint();
  }

  /** The text; all its lines end with `\n`. */
  get text() {
    return this.view?.state.doc.toString() ?? "";
  }

  /** Lights commands in the source. */
  light(places: Range[]) {
    const view = this.view;
    if (!view) return;
    const first = places[0] && offset(view.state.doc, places[0].start);
    view.dispatch({ effects: [setLit.of(places), ...(first === undefined ? [] : [EditorView.scrollIntoView(first, { y: "nearest", yMargin: 60 })])] });
  }

  goTo(place: Range) {
    const view = this.view;
    if (!view) return;
    const at = offset(view.state.doc, place.start);
    view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    view.focus();
  }

  /** Colours, as the server sees the text. */
  private async paint() {
    const view = this.view;
    if (!view) return;
    this.client.sync();
    const before = view.state.doc;
    const answer = await this.client.request<unknown, { data: number[] } | null>("textDocument/semanticTokens/full", { textDocument: { uri: this.uri } }).catch(() => null);
    const legend = this.client.serverCapabilities?.semanticTokensProvider?.legend.tokenTypes;
    if (!answer || !legend || this.view !== view || view.state.doc !== before) return;
    const marks = new RangeSetBuilder<Decoration>();
    for (let at = 0, line = 0, character = 0; at + 4 < answer.data.length; at += 5) {
      const [down, right, length, kind] = answer.data.slice(at, at + 4);
      line += down;
      character = down > 0 ? right : character + right;
      const from = offset(before, { line, character });
      marks.add(from, Math.min(from + length, before.length), Decoration.mark({ class: `t-${legend[kind]}` }));
    }
    view.dispatch({ effects: setTokens.of(marks.finish()) });
  }

  /** The findings of the server, each with its quick fixes. */
  async published({ uri, diagnostics }: Published) {
    const view = this.view;
    if (!view || uri !== this.uri) return;
    const doc = view.state.doc;
    const everything = { start: { line: 0, character: 0 }, end: { line: doc.lines, character: 0 } };
    const asked = { textDocument: { uri }, range: everything, context: { diagnostics } };
    const fixes = diagnostics.length === 0 ? [] : ((await this.client.request<unknown, Fix[] | null>("textDocument/codeAction", asked).catch(() => [])) ?? []);
    if (this.view !== view || view.state.doc !== doc) return;
    const severities: Diagnostic["severity"][] = ["error", "error", "warning", "info", "hint"];
    const key = (range: Range) => JSON.stringify([range.start.line, range.start.character, range.end.line, range.end.character]);
    const fixing = (range: Range) => fixes.filter(fix => fix.diagnostics?.some(other => key(other.range) === key(range)));
    const shown = diagnostics.map(it => {
      const own = fixing(it.range);
      const actions: Action[] = own.map(fix => ({ name: fix.title, apply: () => this.apply(fix) }));
      const from = offset(doc, it.range.start);
      return { from, to: Math.max(from, offset(doc, it.range.end)), severity: severities[it.severity ?? 1], message: it.message, source: it.code, actions };
    });
    view.dispatch(setDiagnostics(view.state, shown));
    this.onLooked(diagnostics.filter(it => (it.severity ?? 1) === 1 && it.code).map(it => ({
      line: it.range.start.line + 1, message: it.message, code: it.code, go: () => this.goTo(it.range),
      fixes: fixing(it.range).map(fix => ({ title: fix.title, apply: () => this.apply(fix) })),
    })));
  }

  private apply(fix: Fix) {
    const view = this.view;
    const edits = fix.edit?.changes?.[this.uri];
    if (!view || !edits) return;
    const doc = view.state.doc;
    view.dispatch({ changes: edits.map(({ range, newText }) => ({ from: offset(doc, range.start), to: offset(doc, range.end), insert: newText })) });
  }

  /** Asks a command of ours about the present text. */
  async ask<T>(command: string, argument: object = {}): Promise<T> {
    this.client.sync();
    const params = { command: `rcheck-smt.${command}`, arguments: [{ uri: this.uri, ...argument }] };
    return asked(this.client.request<object, T>("workspace/executeCommand", params), this.over);
  }

  get plugin() {
    return this.view && LSPPlugin.get(this.view);
  }
}

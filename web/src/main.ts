/** The page: a model on the left, what one asks of it on the right. */
import { LSPClient } from "@codemirror/lsp-client";
import { Automata } from "./automata";
import { attempt, byId, element, say } from "./dom";
import { Editor } from "./editor";
import { Explorer } from "./explorer";
import { ended, plain } from "./lines";
import { asked, connect, type Listed } from "./server";
import { Simulator } from "./simulator";
import { Specs } from "./specs";
import { changeTheme, restoreTheme } from "./theme";
import { Stepper } from "./trace";

const ENDED = "The server has ended: keep your text, start `rcheck-smt serve` again, and open the address that it prints.";

const SAVED = "Saved.";

const VIEWS = ["specs", "trace", "automata", "simulator", "explorer"];
function show(view: string) {
  for (const it of VIEWS) {
    const tab = byId(`tab-${it}`);
    tab.setAttribute("aria-selected", String(it === view));
    tab.tabIndex = it === view ? 0 : -1;
    byId(it).hidden = it !== view;
  }
}

/** The border between the text and the views, which moves by pointer and keys. */
function border() {
  const bar = byId("border"), main = bar.parentElement!;
  const move = (share: number) => {
    const now = Math.round(Math.min(Math.max(share, 15), 85));
    main.style.setProperty("--share", String(now));
    bar.setAttribute("aria-valuenow", String(now));
  };
  const beside = () => getComputedStyle(bar).cursor === "col-resize";
  bar.onpointerdown = event => bar.setPointerCapture(event.pointerId);
  bar.onpointermove = event => {
    if (!bar.hasPointerCapture(event.pointerId)) return;
    const { left, top, width, height } = main.getBoundingClientRect();
    move(beside() ? ((event.clientX - left) / width) * 100 : ((event.clientY - top) / height) * 100);
  };
  bar.onkeydown = event => {
    const by = { ArrowLeft: -5, ArrowUp: -5, ArrowRight: 5, ArrowDown: 5 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    move(Number(getComputedStyle(main).getPropertyValue("--share")) + by);
  };
}

async function start() {
  show("specs");
  byId("theme").onclick = changeTheme;
  border();
  const choice = byId<HTMLSelectElement>("models"), save = byId<HTMLButtonElement>("save"), prove = byId<HTMLButtonElement>("prove");
  let isOver = false;
  const { transport, over } = await connect();
  over.catch(() => {
    isOver = true;
    say(ENDED, true, true);
    save.disabled = prove.disabled = choice.disabled = true;
  });
  let editor: Editor;
  const client = new LSPClient({
    timeout: 600_000,
    sanitizeHTML: html => {
      const read = new DOMParser().parseFromString(html, "text/html");
      read.querySelectorAll("script, style, iframe, object, embed, link, form, img, svg, math, base, meta").forEach(it => it.remove());
      for (const it of read.querySelectorAll("*")) for (const { name } of [...it.attributes]) if (name !== "class") it.removeAttribute(name);
      return read.body.innerHTML;
    },
    notificationHandlers: {
      "textDocument/publishDiagnostics": (_, params) => {
        void editor.published(params);
        return true;
      },
    },
  }).connect(transport);
  await client.initializing;
  editor = new Editor(byId("editor"), client, over);
  const stepper = new Stepper(editor);
  const specs = new Specs(editor, spec => {
    show("trace");
    return stepper.show(spec);
  }, model => play(model));
  const automata = new Automata(editor);
  const simulator = new Simulator(editor, node => automata.mark(node));
  const explorer = new Explorer(editor);
  const views: Record<string, () => unknown> = { automata: () => automata.draw(), simulator: () => simulator.begin(), explorer: () => explorer.begin() };
  const open = (view: string) => {
    show(view);
    void views[view]?.();
  };
  VIEWS.forEach((view, at) => {
    const tab = byId(`tab-${view}`);
    tab.onclick = () => open(view);
    tab.onkeydown = event => {
      const last = VIEWS.length - 1;
      const to = { ArrowLeft: at > 0 ? at - 1 : last, ArrowRight: at < last ? at + 1 : 0, Home: 0, End: last }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const other = VIEWS[to];
      open(other);
      byId(`tab-${other}`).focus();
    };
  });

  const ask = <T>(method: string, params: object = {}) => asked(client.request<object, T>(`page/${method}`, params), over);
  const models = await ask<Listed[]>("models");
  // The common beginning of all names says nothing.
  const folders = models.map(it => it.name.split("/").slice(0, -1));
  const common = folders.reduce((one, other) => one.slice(0, one.findIndex((it, at) => it !== other[at]) >>> 0));
  const shortened = models.map(it => it.name.split("/").slice(common.length).join("/"));
  const label = (it: Listed, at: number) => (it.error === null ? shortened[at] : `${shortened[at]} (cannot be read)`);
  choice.replaceChildren(...models.map((it, at) => element("option", { value: String(at), title: it.error ?? it.name }, label(it, at))));
  let before = "";
  let opened = 0;
  const isChanged = () => editor.text !== plain(before);
  // A model with a strategy built in is shown, which is no file.
  let isMade = false;
  const allow = () => {
    save.disabled = isOver || isMade || !isChanged();
  };
  const fresh = () => {
    stepper.clear();
    automata.forget();
    simulator.forget();
    explorer.forget();
  };
  async function load(model: number) {
    const text = await ask<string>("read", { model }).catch((error: Error) => {
      choice.value = String(opened);
      throw new Error(`The model cannot be opened: ${error.message}.`);
    });
    say("");
    before = text;
    isMade = false;
    opened = model;
    fresh();
    specs.forget();
    editor.open(models[model], plain(text));
    allow();
    document.title = `${shortened[model]} – rcheck-smt`;
    choice.title = models[model].name;
    const wanted = location.hash.slice(1);
    open(VIEWS.includes(wanted) ? wanted : "specs");
    await specs.refresh();
  }
  const LEAVE = "The model has changes that are not saved. Leave them?";
  async function play(text: string) {
    if (isChanged() && !confirm(LEAVE)) return;
    before = text;
    isMade = true;
    fresh();
    specs.forget();
    editor.open({ ...models[opened], uri: `${models[opened].uri}#strategy` }, plain(text));
    allow();
    // Any choice leads back.
    choice.value = "";
    choice.title = "a model with a strategy built in";
    say("The members do what the strategy says, you all others. The list of models leads back.");
    open("simulator");
    await specs.refresh();
  }
  let timer: number | undefined;
  const isSaid = (words: string) => byId("status").textContent === words;
  editor.onChange = () => {
    allow();
    if (isSaid(SAVED)) say("");
    fresh();
    const view = VIEWS.find(it => !byId(it).hidden)!;
    clearTimeout(timer);
    timer = setTimeout(() => {
      void specs.refresh();
      void views[view]?.();
    }, 300);
  };
  // Other messages of the meantime stay.
  let count = "";
  editor.onLooked = errors => {
    specs.wrong(errors);
    const now = errors.length === 0 ? "" : `${errors.length} ${errors.length === 1 ? "error" : "errors"}`;
    if (now !== "" || isSaid(count)) say(now, now !== "");
    count = now;
  };
  choice.onchange = () => {
    if (isChanged() && !confirm(LEAVE)) choice.value = String(opened);
    else void attempt(() => load(Number(choice.value)));
  };
  const keep = async () => {
    if (isOver || isMade) return;
    const text = ended(editor.text, before);
    await ask("save", { model: opened, before, text });
    before = text;
    allow();
    say(SAVED);
  };
  save.onclick = () => attempt(keep);
  addEventListener("keydown", event => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") {
      event.preventDefault();
      if (isChanged()) void attempt(keep);
    }
  });
  addEventListener("beforeunload", event => {
    if (isChanged()) event.preventDefault();
  });
  prove.onclick = () => {
    open("specs");
    void attempt(() => specs.proveAll());
  };
  await load(Math.max(models.findIndex(it => it.error === null), 0));
}

restoreTheme();
start().catch((error: Error) => say(error.message, true));

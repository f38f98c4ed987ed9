"use strict";
const all = (what, at = document) => [...at.querySelectorAll(what)];
const make = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};
const root = document.documentElement, table = document.querySelector("table.results"), records = all("tbody.record");

// Light and dark; a browser that keeps nothing for files forgets what was chosen.
const kept = { get: () => { try { return localStorage.getItem("theme"); } catch { return null; } }, set: it => { try { localStorage.setItem("theme", it); } catch { /* forgotten */ } } };
if (["light", "dark"].includes(kept.get())) root.dataset.theme = kept.get();
const isDark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
document.getElementById("theme").onclick = () => { kept.set(root.dataset.theme = isDark() ? "light" : "dark"); };

// Filter and search.
const search = document.getElementById("search"), choices = all("#filters button"), shown = document.getElementById("shown");
function filter() {
  const pressed = choices.filter(it => it.ariaPressed === "true"), words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = it => it.dataset.words.toLowerCase();
  const fits = it => (pressed.length === 0 || pressed.some(choice => it.dataset.verdict === choice.dataset.choice || it.dataset.look === choice.dataset.choice)) && words.every(word => text(it).includes(word));
  records.forEach(it => { it.hidden = !fits(it); });
  const count = records.filter(it => !it.hidden).length;
  shown.textContent = count === records.length ? `${count} results` : `${count} of ${records.length} results`;
}
choices.forEach(it => { it.onclick = () => { it.ariaPressed = String(it.ariaPressed !== "true"); filter(); }; });
search.oninput = filter;
document.querySelector(".tools").hidden = false;
filter();

// Sort; a third click gives the order of the page.
const heads = all("thead th", table), original = [...records];
heads.forEach(head => {
  head.querySelector("button").onclick = () => {
    const now = { none: "ascending", ascending: "descending", descending: "none" }[head.ariaSort ?? "none"];
    heads.forEach(it => { it.ariaSort = it === head ? now : "none"; });
    const { key } = head.dataset, value = it => it.dataset[key], number = head.classList.contains("number");
    const compare = (a, b) => number ? Number(value(a) || -1) - Number(value(b) || -1) : value(a).localeCompare(value(b), "en", { numeric: true });
    const order = [...original].sort((a, b) => now === "none" ? 0 : compare(a, b) * (now === "ascending" ? 1 : -1));
    table.append(...order);
  };
});

// Through a counterexample: its chart, its steps, the state, and the lines of the model.
function steps(box) {
  const run = JSON.parse(box.dataset.run), source = document.getElementById(run.source), chart = box.querySelector(".chart");
  const where = make("span", { className: "quiet", role: "status" });
  const list = make("ol", {}, ...["initial state", ...run.steps.map(it => it.words)].map((words, at) =>
    make("li", {}, make("button", { type: "button", onclick: () => go(at) }, words + (run.loop === at ? "  (the run comes back to here)" : "")))));
  const state = make("div"), text = source.cloneNode(true);
  text.removeAttribute("id");
  text.hidden = false;
  text.tabIndex = list.tabIndex = state.tabIndex = 0;
  text.ariaLabel = "The model";
  const names = make("div", { className: "bar" },
    make("button", { type: "button", onclick: () => go(at - 1), ariaLabel: "Step back" }, "\u2039"),
    make("button", { type: "button", onclick: () => go(at + 1), ariaLabel: "Step on" }, "\u203a"), where, make("span", { className: "quiet" }, "Arrow keys, Home and End step as well."));
  box.prepend(names);
  chart.tabIndex = 0;
  box.append(text, list, state);
  box.classList.add("ready");
  const drawn = all("[data-step]", chart);
  drawn.forEach(it => { it.onclick = () => go(Number(it.dataset.step) + 1); });
  let at = 0;
  function go(to) {
    at = Math.min(Math.max(to, 0), run.steps.length);
    where.textContent = `step ${at} of ${run.steps.length}`;
    all("button", list).forEach((it, number) => { number === at ? it.setAttribute("aria-current", "step") : it.removeAttribute("aria-current"); });
    const near = (inner, outer) => {
      if (!inner) return;
      const [a, b] = [inner.getBoundingClientRect(), outer.getBoundingClientRect()];
      if (a.top < b.top || a.bottom > b.bottom) outer.scrollTop += a.top - b.top - (b.height - a.height) / 2;
    };
    near(list.querySelector("[aria-current]"), list);
    drawn.forEach(it => it.classList.toggle("faded", Number(it.dataset.step) >= at));
    near(drawn.find(it => Number(it.dataset.step) === at - 1), chart);
    const lines = at > 0 ? run.steps[at - 1].lines : [];
    all("span", text).forEach((it, number) => it.classList.toggle("lit", lines.some(([first, last]) => first <= number + 1 && number + 1 <= last)));
    near(text.querySelector(".lit"), text);
    const before = run.states[Math.max(at - 1, 0)];
    state.replaceChildren(make("table", {}, ...run.names.map((name, number) => {
      const [old, value] = [before[number], run.states[at][number]];
      return make("tr", { className: old === value ? "" : "changed" }, make("td", {}, name), make("td", { className: "quiet" }, old === value ? "" : `${old} \u2192`), make("td", {}, value));
    })));
    near(state.querySelector(".changed"), state);
  }
  box.onkeydown = event => {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -Infinity, End: Infinity }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    go(at + by);
  };
  go(0);
}
all("details.more").forEach(it => it.addEventListener("toggle", () => { if (it.open) all(".run:not(.ready)", it).forEach(steps); }));

// A link into the page opens what it leads to.
function follow() {
  let name = location.hash.slice(1);
  try { name = decodeURIComponent(name); } catch { /* It is none of the page's own links. */ }
  const found = document.getElementById(name);
  const more = found?.querySelector("details.more");
  if (more) more.open = true;
}
addEventListener("hashchange", follow);
follow();

/** Small helpers for the page. What models say gets in as text, never as markup. */

export type Child = Node | string | null | undefined | false;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, string | boolean | EventListener | undefined> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, "");
    else if (typeof value === "string") made.setAttribute(name, value);
  }
  made.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
  return made;
}

export const byId = <E extends HTMLElement>(id: string) => document.getElementById(id) as E;

let isSaid = false;

/** Says something in the line of the page for that; with `forGood` nothing else is said any more. */
export function say(words: string, bad = false, forGood = false) {
  if (isSaid) return;
  isSaid = forGood;
  const status = byId("status");
  status.textContent = status.title = words;
  status.classList.toggle("bad", bad);
  status.classList.toggle("long", words.length > 40);
}

/** Does something, and says what goes wrong. */
export async function attempt(act: () => unknown) {
  try {
    await act();
  } catch (error) {
    say((error as Error).message, true);
  }
}

export const button = (words: string, act: () => unknown, attributes: Record<string, string | boolean> = {}) =>
  element("button", { type: "button", ...attributes, click: () => void attempt(act) }, words);

/** Brings what is inside a box that scrolls into sight, and moves nothing else. */
export function bring(inner: Element | null | undefined, box: Element) {
  if (!inner) return;
  const [a, b] = [inner.getBoundingClientRect(), box.getBoundingClientRect()];
  if (a.top < b.top || a.bottom > b.bottom) box.scrollTop += a.top - b.top - (b.height - a.height) / 2;
}

/** A picture of ours; what is no SVG makes an error. */
export function picture(svg: string): SVGSVGElement {
  const read = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  if (read.nodeName !== "svg") throw new Error("the picture cannot be read");
  return document.importNode(read, true) as unknown as SVGSVGElement;
}

/** A picture in a box, as wide as the box at first; buttons make it larger and smaller. */
export function framed(svg: SVGSVGElement, label: string): { box: HTMLElement; tools: HTMLElement[] } {
  const box = element("div", { class: "picture-box", tabindex: "0", role: "group", "aria-label": label }, svg);
  const [width, height] = [Number(svg.getAttribute("width")), Number(svg.getAttribute("height"))];
  let scale = 1;
  const zoom = (to: number) => {
    const middle = box.scrollTop / Math.max(box.scrollHeight, 1);
    scale = Math.min(Math.max(to, 0.2), 4);
    svg.setAttribute("width", String(width * scale));
    svg.setAttribute("height", String(height * scale));
    box.scrollTop = middle * box.scrollHeight;
  };
  // Words have to stay legible.
  const fit = () => zoom(Math.min(Math.max((box.clientWidth - 2) / width, 0.55), 1));
  new ResizeObserver((_, observer) => {
    if (box.clientWidth === 0) return;
    fit();
    box.scrollLeft = 0;
    observer.disconnect();
  }).observe(box);
  const tools = [
    button("−", () => zoom(scale / 1.2), { "aria-label": "Smaller", title: "Smaller" }),
    button("+", () => zoom(scale * 1.2), { "aria-label": "Larger", title: "Larger" }),
    button("Fit", fit, { title: "As wide as there is room" }),
  ];
  return { box, tools };
}

/** Lets the user keep a file. */
function keep(content: Blob, name: string) {
  const address = URL.createObjectURL(content);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

async function asPng(svg: SVGSVGElement, text: string): Promise<Blob> {
  const SCALE = 2;
  const image = new Image();
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  image.src = address;
  await image.decode();
  const canvas = element("canvas");
  canvas.width = SCALE * Number(svg.getAttribute("width"));
  canvas.height = SCALE * Number(svg.getAttribute("height"));
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  return new Promise((made, failed) => canvas.toBlob(it => (it ? made(it) : failed(new Error("the picture is too large for a PNG: take the SVG"))), "image/png"));
}

/** Buttons that keep a picture as a file. `text` is the picture as it came, without marks. */
export function exports(text: string, name: string): HTMLElement[] {
  return [
    button("SVG", () => keep(new Blob([text], { type: "image/svg+xml" }), `${name}.svg`), { title: "Keep the picture as SVG" }),
    button("PNG", async () => keep(await asPng(picture(text), text), `${name}.png`), { title: "Keep the picture as PNG" }),
    button("Print", () => window.print(), { title: "Print this view, or keep it as PDF" }),
  ];
}

/** Words beside what the pointer or the keyboard is on. */
export function tip(on: HTMLElement, words: string) {
  let shown: HTMLElement | undefined;
  const show = () => {
    hide();
    const { left, bottom, top } = on.getBoundingClientRect();
    shown = document.body.appendChild(element("div", { class: "tip", role: "tooltip", id: "tip" }, words.trimEnd()));
    const { width, height } = shown.getBoundingClientRect();
    shown.style.left = `${Math.max(4, Math.min(left, innerWidth - width - 4))}px`;
    shown.style.top = `${bottom + height + 6 < innerHeight ? bottom + 4 : Math.max(4, top - height - 4)}px`;
    on.setAttribute("aria-describedby", "tip");
  };
  const hide = () => {
    shown?.remove();
    shown = undefined;
  };
  on.addEventListener("mouseenter", show);
  // A user who clicks has seen it.
  on.addEventListener("focus", () => on.matches(":focus-visible") && show());
  on.addEventListener("mouseleave", hide);
  on.addEventListener("blur", hide);
}

/** Takes tips away whose owners have left the page. */
export const clearTips = () => document.querySelectorAll(".tip").forEach(it => it.remove());

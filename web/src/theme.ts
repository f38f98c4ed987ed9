/** Light and dark: as the system has it, until the user chooses. */

const KEPT_AS = "theme";
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners: (() => void)[] = [];

export const isDark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";

/** Says when the light changes. */
export function onTheme(listener: () => void) {
  listeners.push(listener);
}

const tell = () => listeners.forEach(it => it());
system.addEventListener("change", tell);

/** Restores the choice. A browser that keeps nothing forgets it. */
export function restoreTheme() {
  try {
    const kept = localStorage.getItem(KEPT_AS);
    if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  } catch {
    // As the system has it.
  }
}

export function changeTheme() {
  root.dataset.theme = isDark() ? "light" : "dark";
  tell();
  try {
    localStorage.setItem(KEPT_AS, root.dataset.theme);
  } catch {
    // It lasts until the page is loaded again.
  }
}

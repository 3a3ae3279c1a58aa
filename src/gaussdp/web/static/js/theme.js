// The theme button: system, light, dark. Pictures listen to `themechange` and redraw in the new colours.

import { speak } from "./words.js";

const KEY = "gaussdp-theme";
const ORDER = ["system", "light", "dark"];

export function setUpTheme() {
  const button = document.getElementById("theme");
  const words = document.getElementById("theme-words");
  let theme = document.documentElement.dataset.theme ?? "system";

  const show = () => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    words.textContent = { system: speak("Theme: system"), light: speak("Theme: light"), dark: speak("Theme: dark") }[theme];
    changed();
  };
  button.addEventListener("click", () => {
    theme = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length];
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Not remembered, but shown.
    }
    show();
  });
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)", "print"]) matchMedia(query).addEventListener("change", changed);
  show();
}

function changed() {
  known.clear();
  document.dispatchEvent(new Event("themechange"));
}

/** Draws in the light theme's colours, for paper and files, until `over`. */
export async function inLight() {
  const { theme } = document.documentElement.dataset;
  document.documentElement.dataset.theme = "light";
  changed();
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  inLight.over = () => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    changed();
  };
}

const known = new Map();
const probe = document.createElement("span");
probe.className = "probe";

/** The value of a colour token as the current theme has it, for a canvas, which knows no tokens. */
export function colour(token) {
  if (!known.has(token)) {
    if (!probe.isConnected) document.body.append(probe);
    probe.style.color = `var(--${token})`;
    known.set(token, getComputedStyle(probe).color);
  }
  return known.get(token);
}

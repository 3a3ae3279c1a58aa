// The theme button: system, light, dark. Pictures listen to `themechange` and redraw in the new colours.

const KEY = "gaussdp-theme";
const ORDER = ["system", "light", "dark"];

export function setUpTheme() {
  const button = document.getElementById("theme");
  const words = document.getElementById("theme-words");
  let theme = document.documentElement.dataset.theme ?? "system";

  const show = () => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    words.textContent = `Theme: ${theme}`;
    document.dispatchEvent(new Event("themechange"));
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
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => document.dispatchEvent(new Event("themechange")));
  show();
}

/** The value of a colour token as the current theme has it. */
export function colour(token) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${token}`).trim();
}

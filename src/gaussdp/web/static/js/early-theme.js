// Runs before the first paint, so that neither a chosen theme nor another language flashes; theme.js and languages.js
// let them be chosen.
try {
  const theme = localStorage.getItem("gaussdp-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  const language = localStorage.getItem("gaussdp-language");
  const named = new URLSearchParams(location.search).has("lang");
  if (language && language !== document.documentElement.lang && !named) document.documentElement.dataset.other = language;
} catch {
  // Storage may be forbidden: the system's theme and language serve.
}

// Runs before the first paint, so that neither a chosen theme nor another language flashes; theme.js and languages.js
// let them be chosen.
try {
  const theme = localStorage.getItem("gaussdp-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  const language = localStorage.getItem("gaussdp-language");
  const query = new URLSearchParams(location.search);
  if (language && language !== document.documentElement.lang && !query.has("lang")) {
    query.set("lang", language);
    location.replace(`?${query}`);
  }
} catch {
  // Storage may be forbidden: the system's theme serves.
}

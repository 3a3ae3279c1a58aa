// Runs before the first paint, so that a chosen theme does not flash; the button is in theme.js.
try {
  const theme = localStorage.getItem("gaussdp-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden: the system's theme serves.
}

// What can be scrolled can be reached by the keyboard, and the parts that the theme adds to code have names of their own.
const named = () => {
  for (const part of document.querySelectorAll(".md-typeset__scrollwrap")) part.tabIndex = 0;
  document.querySelectorAll("nav.md-code__nav").forEach((part, place) => {
    part.setAttribute("aria-label", `Code ${place + 1}`);
  });
};
document$.subscribe(() => {
  named();
  new MutationObserver(named).observe(document.body, { childList: true, subtree: true });
});

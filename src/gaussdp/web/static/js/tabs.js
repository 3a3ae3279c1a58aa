// Tabs as the ARIA practices describe them: arrows move and select, Home and End jump, one tab stop.

/**
 * @param {HTMLElement} list
 * @param {(view: string) => void} onSelect
 */
export function setUpTabs(list, onSelect) {
  const tabs = [...list.querySelectorAll("[role=tab]")];
  list.addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) onSelect(tab.dataset.view);
  });
  list.addEventListener("keydown", (event) => {
    const here = tabs.indexOf(document.activeElement);
    const there = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (here < 0 || there === undefined) return;
    event.preventDefault();
    const tab = tabs[(there + tabs.length) % tabs.length];
    tab.focus();
    onSelect(tab.dataset.view);
  });
  return {
    /** @param {string} view */
    show(view) {
      for (const tab of tabs) {
        const selected = tab.dataset.view === view;
        tab.setAttribute("aria-selected", String(selected));
        tab.tabIndex = selected ? 0 : -1;
        document.getElementById(tab.getAttribute("aria-controls")).hidden = !selected;
        if (selected) document.title = `${tab.querySelector(".tab-title").textContent} · gaussdp`;
      }
    },
  };
}

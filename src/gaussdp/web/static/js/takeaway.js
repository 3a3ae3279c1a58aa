// What to take away from a view: code and text to copy, a link, the figure and the statement as files.

import { writeAddress } from "./address.js";
import { announce } from "./announce.js";
import { fetchFile, Refusal } from "./api.js";
import { DOCUMENTS } from "./definitions.js";
import { h } from "./dom.js";
import { registryForm } from "./registry.js";
import { savedPage } from "./saved-page.js";
import { inLight } from "./theme.js";
import { speak } from "./words.js";

const KINDS = [["python", "Python"], ["cli", "CLI"], ["latex", "LaTeX"], ["json", "JSON"]];
const FIRST = "markdown"; // of the formats of a document, where it is one
const SHOWN = 1800; // milliseconds that "Copied" stays

/**
 * @param {HTMLElement} root
 * @param {string} name the view's
 * @param {any} store
 * @param {() => {view: string, state: object, ready?: () => boolean} | null} request what the files are made of, and
 *   whether it says all that the statement needs; null while a field is wrong
 * @param {{name: string, formats: {value: string, label: string}[], registered?: boolean}} paper what the document is called, its formats, and whether
 *   it can be an entry of the registry of deployments
 * @param {{onKind?: () => void, whole?: () => Promise<void>}} more called when another kind is to be shown, and before
 *   the view is saved, where not all of it is asked for at once
 */
export function createTakeaway(root, name, store, request, paper = { name: speak("Statement"), formats: DOCUMENTS }, { onKind = () => {}, whole } = {}) {
  let snippets = null;
  let kind = "python";
  const code = h("pre", { class: "code", tabIndex: 0, "aria-label": speak("What is copied") }, h("code", {}));
  const said = h("p", { class: "said", role: "status" });
  const say = (words, wrong = false) => {
    said.textContent = words;
    said.classList.toggle("wrong", wrong);
  };

  const show = () => {
    code.firstChild.textContent = snippets?.[kind] ?? "";
  };
  const kinds = h("fieldset", { class: "segments", "aria-label": speak("Copy as") }, ...KINDS.map(([value, label]) =>
    h("label", { class: "option" },
      h("input", { type: "radio", name: `copy-${name}`, value, checked: value === kind, onchange: () => { kind = value; show(); onKind(); } }),
      h("span", { class: "option-words" }, label))));
  let arrived = null; // told what was to be copied before it was there
  const current = () => snippets?.[kind] ?? new Promise((resolve) => (arrived = resolve));
  const copyCode = copyButton(speak("Copy"), "primary", current, say);
  const copyLink = copyButton(speak("Copy link"), "", () => new URL(writeAddress(store.all()), location.href).href, say);

  const save = async (path, format) => {
    const asking = request();
    const ready = path !== "statement" || !asking?.ready || asking.ready();
    if (!asking || !ready) return say(speak("Mend the field marked above first."), true);
    say(speak("Preparing the file …"));
    try {
      const { view, state } = asking;
      const file = await fetchFile(path, { view, format, state });
      download(file);
      say(speak("Saved {name}", { name: file.name }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      say(error.message, true);
    }
  };
  const saveView = async () => {
    const view = root.closest(".view");
    try {
      if (!view.matches(".stale")) await whole?.();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return say(error.message, true);
    }
    if (view.matches(".stale")) return say(speak("What is shown belongs to earlier values; it is not saved."), true);
    await inLight();
    const page = savedPage(view, new URL(writeAddress(store.all()), location.href).href);
    inLight.over();
    download({ blob: new Blob([page], { type: "text/html" }), name: `gaussdp-${name}.html` });
    say(speak("Saved {name}", { name: `gaussdp-${name}.html` }));
  };
  const first = paper.formats === DOCUMENTS ? FIRST : paper.formats[0].value;
  const format = h("select", { "aria-label": speak("Format of the {paper}", { paper: paper.name }) }, ...paper.formats.map(({ value, label }) => h("option", { value, selected: value === first }, label)));
  root.append(
    h("h3", {}, speak("Take away")),
    h("div", { class: "takeaway-row" }, kinds, copyCode),
    code,
    h("div", { class: "takeaway-row" },
      copyLink,
      h("button", { type: "button", onclick: saveView }, speak("Save as a file")),
      h("button", { type: "button", onclick: () => save("figure", "svg") }, speak("Figure SVG")),
      h("button", { type: "button", onclick: () => save("figure", "png") }, speak("Figure PNG")),
      h("span", { class: "joined" }, h("button", { type: "button", onclick: () => save("statement", format.value) }, paper.name), format)),
    said,
    ...(paper.registered ? [registryForm(name, request, download, say)] : []));

  return {
    /** Which of them is shown. */
    kind: () => kind,
    /** @param {Record<string, string>} newSnippets */
    show(newSnippets) {
      snippets = newSnippets;
      show();
      if (!(kind in snippets)) return;
      arrived?.(snippets[kind]);
      arrived = null;
    },
  };
}

function copyButton(label, kind, text, say) {
  const button = h("button", { type: "button", class: kind }, label);
  button.addEventListener("click", async () => {
    const content = await text();
    if (content === undefined || content === null) return;
    if (!(await copy(content))) return say(speak("The browser does not let this page copy; select the text instead."), true);
    button.textContent = speak("Copied");
    announce(speak("Copied"));
    setTimeout(() => (button.textContent = label), SHOWN);
  });
  return button;
}

/** Through the clipboard's own interface, or the old way where that is not to be had. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { class: "visually-hidden", value: text });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

function download({ blob, name }) {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

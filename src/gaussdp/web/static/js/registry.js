// A run or a decision as an entry of OpenDP's registry: what it asks that no computation knows, and the file.

import { fetchFile, Refusal } from "./api.js";
import { h } from "./dom.js";
import { plainField } from "./plain-field.js";
import { sentence } from "./refusals.js";
import { speak } from "./words.js";

const TYPES = [["Government", speak("Government")], ["Industry", speak("Industry")], ["Nonprofit", speak("Nonprofit")]];
const FIELDS = {
  curator: { label: speak("Who publishes"), example: speak("the town’s statistical office") },
  curator_type: { label: speak("What they are"), options: TYPES },
  intended_use: { label: speak("What it is used for"), example: speak("planning of bus lines") },
  region: { label: speak("Whom the data describe, or whose laws apply"), example: speak("Germany") },
  author: { label: speak("Who fills out the entry"), example: "" },
  name: { label: speak("Name of what is published (may stay empty)"), example: "" },
};

/**
 * @param {string} view whose entry it is, for the names of its fields
 * @param {() => {view: string, state: object, ready?: () => boolean} | null} request what it is made of
 * @param {(file: {blob: Blob, name: string}) => void} download
 * @param {(words: string, wrong?: boolean) => void} say
 */
export function registryForm(view, request, download, say) {
  const fields = Object.fromEntries(Object.entries(FIELDS).map(([name, field]) => [name, plainField(`registry-${view}-${name}`, field)]));
  const wrong = (name, words) => {
    fields[name].complain(words);
    fields[name].input.focus();
  };
  const save = async (event) => {
    event.preventDefault();
    for (const { complain } of Object.values(fields)) complain("");
    const missing = Object.keys(FIELDS).find((name) => name !== "name" && !fields[name].value());
    if (missing) return wrong(missing, speak("This is needed."));
    const asking = request();
    if (!asking || (asking.ready && !asking.ready())) return say(speak("Mend the field marked above first."), true);
    say(speak("Preparing the file …"));
    try {
      const told = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value()]).filter(([, words]) => words));
      const file = await fetchFile("registry-entry", { view: asking.view, state: asking.state, ...told });
      download(file);
      say(speak("Saved {name}", { name: file.name }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.field in fields) wrong(error.field, sentence(error.message, FIELDS[error.field].label));
      else say(sentence(error.message, null), true);
    }
  };
  return h("details", { class: "more registry" },
    h("summary", {}, speak("Save as registry entry")),
    h("p", { class: "note" }, speak("A file for OpenDP’s public registry of deployments, in English: what is shown here, and what only you know.")),
    h("form", { noValidate: true, onsubmit: save }, ...Object.values(fields).map(({ element }) => element),
      h("button", { type: "submit" }, speak("Save the entry"))));
}

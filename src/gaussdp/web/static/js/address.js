// The state in the address: a page that can be shared. What the address says is kept as written, even if it is wrong,
// so that the field can say what is wrong with it.

import { FIELDS, SCALES, VIEWS } from "./definitions.js";
import { initialState } from "./store.js";
import { LANGUAGE, kept, speak, written } from "./words.js";

const LONGEST = 2000; // no field needs more, and an address should not carry texts

/**
 * @param {string} search
 * @returns {{state: Record<string, string>, problems: string[], choices: Record<string, string>}} `choices` are the
 *   words for the fields whose options do not include what the address says
 */
export function readAddress(search) {
  const state = initialState();
  const problems = [];
  const choices = {};
  const refuse = (name, text, options) => {
    const words = speak("The address says {name} = “{text}”, which is none of {options}.", { name, text: text.slice(0, LONGEST), options: options.join(", ") });
    if (name in FIELDS) choices[name] = words;
    else problems.push(words);
  };
  for (const [name, text] of new URLSearchParams(search)) {
    const options = name === "view" ? VIEWS : name === "scale" ? SCALES : FIELDS[name]?.options?.map((option) => option.value);
    if (options) {
      if (options.includes(text)) state[name] = text;
      else refuse(name, text, options);
    } else if (name in FIELDS) state[name] = text.slice(0, LONGEST);
    else if (name !== "lang") problems.push(speak("The address sets “{name}”, which this page does not know.", { name: name.slice(0, LONGEST) }));
  }
  return { state, problems, choices };
}

/**
 * The fields of the view that is shown, always; those of the others where they differ from what a new page has.
 * @param {Record<string, string>} state
 */
export function writeAddress(state) {
  const query = new URLSearchParams({ view: state.view });
  const initial = initialState();
  for (const [name, field] of Object.entries(FIELDS)) {
    const own = field.view === state.view && state[name] !== "";
    if (own || state[name] !== initial[name]) query.set(name, state[name]);
  }
  if (state.scale !== initial.scale) query.set("scale", state.scale);
  if (new URLSearchParams(location.search).has("lang")) query.set("lang", LANGUAGE);
  return `?${query}`;
}

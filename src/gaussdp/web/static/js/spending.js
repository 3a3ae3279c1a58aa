// Reserve, commit and refund, for whoever has the token of the server. The token is kept in this page alone.

import { Refusal } from "./api.js";
import { h } from "./dom.js";
import { plainField } from "./plain-field.js";
import { sentence } from "./refusals.js";
import { speak } from "./words.js";

const ACTS = { reserve: speak("Reserve"), commit: speak("Commit"), refund: speak("Refund") };
const HINTS = {
  reserve: speak("Before the noise is drawn. What is reserved is spent until it is refunded."),
  commit: speak("The release came out: it stays spent for good."),
  refund: speak("Only if nothing came out, nor will: what you write is kept in the book."),
};
const FIELDS = {
  key: { label: speak("Key of the release"), hint: speak("No other release has it. The same request again gives the same answer."), example: "table-7", of: ["reserve", "commit", "refund"] },
  release: { label: speak("What is released"), hint: "noise=20, mu=0.25, epsilon=1, epsilon=1 delta=1e-6, rho=0.1", example: "noise=20", of: ["reserve"] },
  purpose: { label: speak("What it is for (may stay empty)"), hint: "", example: speak("monthly table"), of: ["reserve"] },
  reason: { label: speak("Why nothing came out, nor will"), hint: "", example: speak("the job was cancelled before it began"), of: ["refund"] },
  token: { label: speak("Token"), hint: speak("Of whoever runs this server. It is not stored."), example: "", of: ["reserve", "commit", "refund"] },
};

/**
 * @param {HTMLElement} root
 * @param {(request: Record<string, string>, token: string) => Promise<{entry: any, repeated: boolean}>} send
 */
export function spendingForm(root, send) {
  let act = "reserve";
  let budget = "";
  const title = h("h3", {}, speak("Spend"));
  const hint = h("p", { class: "lead" });
  const said = h("p", { class: "said", role: "status" });
  const fields = Object.fromEntries(Object.entries(FIELDS).map(([name, field]) => [name, plainField(`spend-${name}`, { ...field, type: name === "token" ? "password" : "text" })]));
  const button = h("button", { type: "submit", class: "primary" }, ACTS.reserve);
  const options = h("div", { class: "segments" }, ...Object.entries(ACTS).map(([value, words]) => h("label", { class: "option" },
    h("input", { type: "radio", name: "spending-act", value, checked: value === act, onchange: () => turn(value) }), words)));
  const form = h("form", { noValidate: true, onsubmit: submit }, h("fieldset", {}, h("legend", {}, speak("What to do")), options), hint, ...Object.values(fields).map(({ element }) => element), button, said);
  root.replaceChildren(title, form);
  turn(act);

  function turn(value) {
    act = value;
    hint.textContent = HINTS[act];
    button.textContent = ACTS[act];
    for (const [name, field] of Object.entries(FIELDS)) fields[name].element.hidden = !field.of.includes(act);
    clear();
  }

  function clear() {
    for (const { complain } of Object.values(fields)) complain("");
    tell("", false);
  }

  function tell(words, wrong) {
    said.textContent = words;
    said.classList.toggle("wrong", wrong);
  }

  async function submit(event) {
    event.preventDefault();
    clear();
    const shown = Object.entries(FIELDS).filter(([name, field]) => name !== "token" && field.of.includes(act));
    const request = { do: act, ...(act === "reserve" ? { budget } : {}) };
    for (const [name] of shown) if (fields[name].input.value.trim()) request[name] = fields[name].input.value.trim();
    const missing = ["key", "release", "reason", "token"].find((name) => FIELDS[name].of.includes(act) && !fields[name].input.value.trim());
    if (missing) return wrong(missing, speak("This is needed."));
    button.disabled = true;
    try {
      const { entry, repeated } = await send(request, fields.token.input.value.trim());
      const told = { seq: entry.seq, act: ACTS[act].toLowerCase(), key: `${entry.key}${entry.mu_text ? `, μ = ${entry.mu_text}` : ""}` };
      tell(repeated ? speak("Entry {seq} says so already. Do not release a second time.", told) : speak("Entry {seq}: {act} {key}.", told), false);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const words = sentence(error.message, FIELDS[error.field]?.label ?? null);
      if (error.field in fields && !fields[error.field].element.hidden) wrong(error.field, words);
      else tell(words, true);
    } finally {
      button.disabled = false;
    }
  }

  function wrong(name, words) {
    fields[name].complain(words);
    fields[name].input.focus();
  }

  return {
    /** Another budget is looked at. */
    show(name) {
      budget = name;
      title.textContent = speak("Spend from {name}", { name });
    },
  };
}

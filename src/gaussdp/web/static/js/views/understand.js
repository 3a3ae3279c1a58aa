// Understand: what a μ lets an attacker achieve.

import { announce } from "../announce.js";
import { ask } from "../api.js";
import { CRITERIA } from "../definitions.js";
import { createDeployments } from "../deployments.js";
import { gathered, h, part, prose, stripTable } from "../dom.js";
import { valuesOf } from "../fields.js";
import { factList } from "../facts.js";
import { createHandle } from "../handle.js";
import { iconArray } from "../icon-array.js";
import { eachFrame, inParts } from "../latest.js";
import { brief, numberIn } from "../numbers.js";
import { createPicture, lowestFor } from "../picture.js";
import { createRefusals } from "../refusals.js";
import { createTakeaway } from "../takeaway.js";
import { counted, numeral, speak } from "../words.js";

const NUMBERS = ["mu", "fpr", "prior", "recall", "delta"];
const NAMES = [...NUMBERS, "whom"];

export function setUpUnderstand(root, store, fields) {
  const refusals = createRefusals(root, fields, NAMES, () => update(), { unit: "whom" });
  const picture = createPicture(part(root, "picture"), {
    title: speak("Trade-off curve"), name: "understand", store,
    series: [{ label: "μ-GDP", colour: "gdp" }], hint: speak("Drag the curve to change μ."),
    onMissing: () => update(),
  });
  const through = eachFrame(
    (point) => ask("mu-through", point),
    ({ mu }) => {
      byCurve = true;
      store.write({ mu: brief(mu, 3) });
      byCurve = false;
    },
    (error) => refusals.tell(error),
  );
  let byCurve = false;
  const handle = createHandle(picture, store, (point) => through.ask(point));
  part(root, "attacker").open = matchMedia("(min-width: 680px)").matches; // on a phone, answers come first
  const deployments = createDeployments(part(root, "deployments"), store);

  const request = () => {
    refusals.clear();
    const numbers = valuesOf(store, fields, NUMBERS);
    const unit = store.read("whom").trim();
    return numbers && { ...numbers, ...(unit ? { unit } : {}) };
  };
  const takeaway = createTakeaway(part(root, "takeaway"), "understand", store, () => {
    const state = request();
    return state && { view: "understand", state };
  }, undefined, { onKind: () => update(), whole: () => questions.whole(request()) });
  const questions = inParts(root, "understand", {
    first: () => [...picture.sides(), takeaway.kind()],
    rest: ["tables"],
    about: (question) => question,
    show: (answer) => show(answer),
    showRest: (answer) => showTables(answer),
    refuse: (error) => refusals.tell(error),
  });
  const update = () => {
    if (store.read("view") !== "understand") return; // asked when it is looked at
    deployments.load();
    const question = request();
    if (question) return questions.ask(question);
    questions.drop();
    refusals.stale(true);
  };

  // Built once and filled at each answer, so that an explanation stays open while its number changes.
  const facts = factList(part(root, "facts"));

  const show = (answer) => {
    refusals.stale(false);
    refusals.clear();
    part(root, "guesses").replaceChildren(h("div", { class: "guesses-pair" }, ...answer.icons.map(iconArray)));
    facts.show([
      ...distinct(answer.tpr).map(({ fpr_text, text }) => ["tpr", speak("TPR at FPR {fpr}", { fpr: fpr_text }), text]),
      ["precision", speak("Precision at recall {recall}, prior {prior}", { recall: numeral(brief(answer.precision.recall, 6)), prior: numeral(brief(answer.precision.prior, 6)) }), answer.precision.text],
      ["epsilon", speak("ε at δ = {delta}", { delta: numeral(brief(answer.epsilon.delta, 6)) }), answer.epsilon.text],
      ["advantage", speak("Advantage"), answer.advantage.text],
    ]);
    const told = answer.icons.map((icons) => icons.sentence); // beside the icons
    part(root, "sentences").replaceChildren(...answer.sentences.filter((text) => !told.includes(text)).map((text) => h("li", {}, ...prose(text))));
    const { fpr, fnr, tpr } = answer.curve;
    handle.show({ fpr, fnr, tpr, mu: answer.mu, text: answer.mu_text });
    picture.show({
      fpr, curves: [{ fnr, tpr }], lowest: lowestFor(fpr, numberIn(store.read("fpr"))),
      words: speak("Trade-off curve of μ = {mu}. The table below has the numbers.", { mu: answer.mu_text }),
    });
    takeaway.show(answer.snippets);
    announce(speak("{sentence} ε is at most {epsilon} at δ {delta}.", { sentence: answer.icons[0].sentence, epsilon: answer.epsilon.text, delta: numeral(brief(answer.epsilon.delta, 6)) }));
  };

  const showTables = ({ group, repeated, equivalents }) => part(root, "tables").replaceChildren(
    stripTable(speak("Groups and repeated releases"), [
      { label: speak("μ of a group"), cells: group.map((row) => [speak("{count} together", { count: counted(row.k) }), row.mu_text]) },
      { label: speak("μ of such releases together"), cells: repeated.map((row) => [speak("{count} times", { count: counted(row.releases) }), row.mu_text]) },
    ]),
    h("p", { class: "note" }, speak("The ε of pure DP that allows as much, by each criterion:")),
    stripTable(speak("The ε of pure DP with the same risk"), gathered(equivalents, "criterion").map(([name, rows]) => ({
      label: speak("{label}, by {level}", { label: CRITERIA[name].label, level: CRITERIA[name].level.label }),
      cells: rows.map((row) => [row.level_text, row.text]),
    }))));

  store.listen((changed) => {
    if (changed.has("mu") && !byCurve) handle.release();
    if (changed.has("view") || NAMES.some((name) => changed.has(name))) update();
  });
  update();
}

function distinct(rows) {
  return rows.filter((row, i) => rows.findIndex((other) => other.fpr === row.fpr) === i).sort((a, b) => b.fpr - a.fpr);
}

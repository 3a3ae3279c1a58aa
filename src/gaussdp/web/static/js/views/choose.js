// Choose: from a policy, in any currency, to a budget μ.

import { announce } from "../announce.js";
import { ask } from "../api.js";
import { CRITERIA } from "../definitions.js";
import { gathered, h, part, prose, stripTable, table } from "../dom.js";
import { valuesOf } from "../fields.js";
import { eachFrame, inParts, whenRested } from "../latest.js";
import { brief } from "../numbers.js";
import { CURRENCIES, policyCells, policyText } from "../policies.js";
import { createPicture, lowestFor, placeMark } from "../picture.js";
import { createRefusals } from "../refusals.js";
import { createTakeaway } from "../takeaway.js";
import { kept, speak } from "../words.js";

const NAMES = ["currency", "epsilon", "policy_delta", "policy_value", "policy_level", "criterion", "level", "also"];

const ALONE = [{ label: speak("Budget, μ-GDP"), colour: "gdp" }];
const BOTH = [{ label: speak("Policy"), colour: "policy" }, ...ALONE];

export function setUpChoose(root, store, fields) {
  const aliases = { requirements: "also" };
  const refusals = createRefusals(root, fields, NAMES, () => update(), aliases);
  const picture = createPicture(part(root, "picture"), {
    title: speak("Trade-off curves"), name: "choose", store,
    series: BOTH, onMissing: () => update(),
  });
  const mark = h("div", { class: "mark" }, h("span", { class: "mark-label" }, speak("matched here")));
  picture.marks.append(mark);
  let matched = null;
  picture.onPlace((u, scale) => matched && placeMark(u, scale, mark, matched));

  const takeaway = createTakeaway(part(root, "takeaway"), "choose", store, () => {
    const state = request();
    return state && { view: "choose", state };
  }, undefined, { onKind: () => update(), whole: () => questions.whole(request()) });

  const request = () => {
    refusals.clear();
    const currency = store.read("currency");
    const own = currency === "epsilon";
    const levelled = policyCells(currency).length > 1;
    const numbers = valuesOf(store, fields, [...(own ? ["epsilon", "policy_delta"] : levelled ? ["policy_value", "policy_level"] : ["policy_value"]), "level"]);
    const also = fields.also.values();
    if (!numbers || !also) return null;
    const { epsilon, policy_delta, level, policy_value: value, policy_level } = numbers;
    const demanded = (own ? also : [{ kind: currency, value, level: policy_level }, ...also]).map((one) => ({ policy: policyText(one) }));
    // What is refused of the first requirement is said beside its own field.
    if (own) delete aliases["requirements.0.policy"];
    else aliases["requirements.0.policy"] = "policy_value";
    return { ...(own ? { epsilon, policy_delta } : {}), level, criterion: store.read("criterion"), ...(demanded.length ? { requirements: demanded } : {}) };
  };
  const questions = inParts(root, "choose", {
    first: () => [...picture.sides(), takeaway.kind()],
    rest: ["advice"],
    about: ({ epsilon, policy_delta, requirements }) => [epsilon, policy_delta, requirements],
    show: (answer) => show(answer),
    showRest: (answer) => showAdvice(answer),
    refuse: (error) => refusals.tell(error),
  });
  const update = () => {
    if (store.read("view") !== "choose") return; // asked when it is looked at
    const question = request();
    if (question) {
      questions.ask(question);
      return askRules(question);
    }
    questions.drop();
    refusals.stale(true);
  };

  // Where the rules of thumb hold depends on the criterion and its level alone.
  const ranges = h("ul", { class: "note rule-ranges" });
  part(root, "rules").append(ranges);
  const rules = eachFrame(
    (question) => ask("rules", question),
    (answer) => ranges.replaceChildren(...answer.rules.map((rule) => h("li", {}, ...prose(rule.sentence)))),
    () => ranges.replaceChildren(),
  );
  const rested = whenRested((question) => rules.ask(question));
  let asked = "";
  const askRules = ({ criterion: name, level }) => {
    const key = `${name} ${level}`;
    if (key === asked) return;
    asked = key;
    ranges.replaceChildren();
    rested.ask({ criterion: name, level });
  };

  const show = (answer) => {
    refusals.stale(false);
    refusals.clear();
    part(root, "mu").textContent = answer.mu_text;
    root.querySelector(".onward").hidden = !(Number(answer.mu) > 0); // neither 0 nor ∞
    const { label, level } = CRITERIA[answer.criterion];
    part(root, "answer").classList.toggle("doubtful", answer.saturated);
    part(root, "matching").hidden = !answer.matching;
    part(root, "rules").hidden = !answer.rules.length;
    part(root, "risk").replaceChildren(...prose(answer.risk.sentence));
    const asked = part(root, "asked");
    asked.hidden = answer.requirements.length < 2;
    asked.replaceChildren(table(speak("What must hold"), [speak("What must hold"), speak("μ at most")], answer.requirements.map((row) => [row.binds ? speak("{words} (binds)", row) : row.words, row.mu_text])));
    showWarning(answer);
    part(root, "cost").replaceChildren(...cost(answer));
    part(root, "verdicts").replaceChildren(...answer.rules.map(verdict));
    matched = answer.matched;
    mark.hidden = !matched;
    const { fpr, pure, gdp, pure_tpr, gdp_tpr } = answer.curves;
    const both = Boolean(pure ?? pure_tpr);
    mark.firstChild.textContent = answer.met ? (both ? speak("they touch here") : speak("met here")) : speak("matched here");
    const drawn = [...(both ? [{ fnr: pure, tpr: pure_tpr }] : []), { fnr: gdp, tpr: gdp_tpr }];
    picture.show({
      fpr,
      curves: drawn,
      series: both ? BOTH : ALONE,
      lowest: lowestFor(fpr, matched?.fpr ?? 1),
      words: answer.met
        ? speak("Trade-off curves of the policy and of the budget μ = {mu}. The table below has the numbers.", { mu: answer.mu_text })
        : speak("Trade-off curves of the policy and of the budget μ = {mu}, matched by {label} at {level} {value}. The table below has the numbers.", { mu: answer.mu_text, label, level: level.label, value: answer.level_text }),
    });
    takeaway.show(answer.snippets);
    announce(speak("Budget μ at most {mu}. {warning}", { mu: answer.mu_text, warning: answer.warning }));
  };

  /** What depends on the policy alone. */
  const showAdvice = ({ recommendation, others, implied }) => {
    part(root, "recommendation").replaceChildren(...recommendation.map((text) => h("li", {}, ...prose(text))));
    part(root, "others").hidden = !others.length;
    part(root, "others-table").replaceChildren(stripTable(speak("Budgets by criterion and level"), gathered(others, "criterion").map(([name, rows]) => ({
      label: speak("{label}, by {level}", { label: CRITERIA[name].label, level: CRITERIA[name].level.label }),
      cells: rows.map((row) => [row.level_text, `${row.mu_text}${row.saturated ? " *" : ""}`, row.saturated ? "saturated" : ""]),
    }))));
    part(root, "others-note").textContent = others.some((row) => row.saturated) ? speak("* saturated: the policy hardly limits the attack there, so that this μ stands for nothing.") : "";
    if (implied) part(root, "implied").replaceChildren(...prose(speak("Matching is not implication: a mechanism that is ε-DP is itself μ-GDP with μ = {mu}, whatever the level.", { mu: implied.mu_text })));
  };

  /** That the match says nothing here, with the way to one that does. */
  const showWarning = ({ warning, instead }) => {
    const box = part(root, "warning");
    box.hidden = !warning;
    const use = instead && instead.level !== null
      ? h("button", { type: "button", class: "small", onclick: () => store.write({ criterion: instead.criterion, level: brief(instead.level, 15) }) }, speak("Use {name}", { name: instead.name }))
      : null;
    box.replaceChildren(h("p", {}, ...prose(warning)), ...(use ? [use] : []));
  };

  const arrange = () => {
    const currency = store.read("currency");
    const [value, level] = policyCells(currency);
    const only = { epsilon: currency === "epsilon", bound: currency !== "epsilon", levelled: Boolean(level) };
    for (const element of root.querySelectorAll("[data-only]")) element.hidden = !only[element.dataset.only];
    fields.policy_value.relabel(speak("{asked}, at most", { asked: value.label }), undefined, value.label);
    if (level) fields.policy_level.relabel(level.label, CURRENCIES[currency].level.key);
  };

  // Each criterion remembers its level: a δ of 0.001 would make no sense because an FPR of 0.001 did.
  const remembered = Object.fromEntries(Object.entries(CRITERIA).map(([name, { level }]) => [name, level.initial]));
  let criterion = store.read("criterion");
  const relabel = () => {
    const { level } = CRITERIA[store.read("criterion")];
    fields.level.relabel(speak("at {level}", { level: level.words }), level.key, level.title);
  };
  store.listen((changed) => {
    if (changed.has("currency")) {
      arrange();
      const [value, level] = policyCells(store.read("currency"));
      if (!changed.has("policy_value")) return store.write({ policy_value: value.initial, policy_level: level?.initial ?? "" }), update();
    }
    if (changed.has("criterion")) {
      if (!changed.has("level")) {
        remembered[criterion] = store.read("level");
        criterion = store.read("criterion");
        relabel();
        return store.write({ level: remembered[criterion] }), update();
      }
      criterion = store.read("criterion");
      relabel();
    }
    if (changed.has("view") || NAMES.some((name) => changed.has(name))) update();
  });
  relabel();
  arrange();
  update();
  return {
    /** The budget that is shown. A policy names no release and no unit: what noise is for stands in the other view. */
    handOver(view) {
      const mu = kept(part(root, "mu").textContent);
      return view === "understand" ? { mu, whom: "" } : { mode: "target", target: "mu", target_value: mu };
    },
  };
}


/** What the match costs at lower false-positive rates. */
function cost({ elsewhere, cost: words, saturated }) {
  if (!elsewhere.length || (!words && !saturated)) return [];
  return [
    h("p", { class: "cost" }, ...prose(words)),
    table(speak("What the best attack finds elsewhere"), [speak("At FPR"), speak("Under the policy"), speak("With this μ")], elsewhere.map((row) => [row.fpr_text, row.policy_text, row.budget_text])),
  ];
}

const SIGNS = { conservative: ["safe", speak("✓ conservative")], "too much": ["unsafe", speak("✗ too much")], saturated: ["unknown", speak("? saturated")] };

function verdict(rule) {
  const [kind, sign] = SIGNS[rule.standing];
  return h("li", { class: `verdict ${kind}` },
    h("span", { class: "verdict-sign" }, h("strong", {}, `ε/${rule.divisor}`), h("span", {}, sign)),
    h("span", { class: "verdict-words" }, ...prose(rule.verdict)));
}

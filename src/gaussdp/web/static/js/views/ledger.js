// The budget book: what is left, what happened, over time; and spending, where the server was started for it.

import { announce } from "../announce.js";
import { ask, Refusal, spend } from "../api.js";
import { VIEWS } from "../definitions.js";
import { h, part, table } from "../dom.js";
import { spendingForm } from "../spending.js";
import { timeline } from "../timeline.js";
import { counted, speak } from "../words.js";

const KINDS = { create: speak("made"), open: speak("opened"), reserve: speak("reserved"), commit: speak("committed"), refund: speak("refunded"), renew: speak("renewed"), upgrade: speak("upgraded") };
const RENEWAL = speak("Privacy loss does not renew: what was released in earlier periods stays released.");

/** The tab and its panel, where the server shows books: before the tabs are set up. */
export function placeLedger() {
  VIEWS.push("ledger");
  document.querySelector("[role=tablist]").append(
    h("button", { type: "button", role: "tab", id: "tab-ledger", "aria-controls": "ledger", "aria-selected": "false", tabIndex: -1, "data-view": "ledger" },
      h("span", { class: "tab-title" }, speak("Budget book")), h("span", { class: "tab-hint" }, speak("what is spent, and what is left"))),
  );
  const empty = (name, ...more) => h("div", { "data-part": name }, ...more);
  document.getElementById("main").append(
    h("section", { role: "tabpanel", id: "ledger", "aria-labelledby": "tab-ledger", class: "view", hidden: true },
      h("h2", { class: "visually-hidden" }, speak("The budget book")),
      h("div", { class: "column" },
        h("div", { class: "card" },
          h("h3", {}, speak("Budgets")),
          h("div", { class: "problem", "data-part": "problem", role: "status", hidden: true }),
          empty("books"),
          h("p", { class: "onward" }, h("button", { type: "button", class: "small", "data-part": "refresh" }, speak("Read again"))),
        ),
        h("div", { class: "card" }, h("h3", {}, speak("Over time")), empty("picture")),
      ),
      h("div", { class: "column" },
        h("div", { class: "card answer" },
          h("h3", { "data-part": "title" }, speak("What is left")),
          h("p", { class: "headline" }, h("span", { class: "headline-symbol" }, "μ = "), h("output", { class: "headline-number", "data-part": "left" }, "–")),
          h("p", { class: "meaning", "data-part": "meaning" }),
          h("dl", { class: "facts", "data-part": "facts" }),
        ),
        h("div", { class: "card", "data-part": "spending", hidden: true }),
      ),
      h("div", { class: "card wide" },
        h("h3", {}, speak("History")),
        h("div", { class: "scroll words history", "data-part": "history", tabIndex: 0, role: "region", "aria-label": speak("History, table") }),
        h("p", { class: "note", "data-part": "head" }),
      ),
    ),
  );
}

export function setUpLedger(root, store) {
  let books = [];
  let chosen = null; // { book, budget }
  const problem = part(root, "problem");
  const complain = (words) => {
    problem.hidden = words === "";
    problem.textContent = words;
  };
  const form = spendingForm(part(root, "spending"), async (request, token) => {
    const done = await spend({ book: chosen.book, ...request }, token);
    await load();
    return done;
  });

  async function load() {
    try {
      const answer = await ask("ledger");
      books = answer.books;
      part(root, "spending").hidden = !answer.spends;
      const known = books.some((book) => book.name === chosen?.book && book.budgets.some((one) => one.name === chosen.budget));
      if (!known) {
        const first = books.find((book) => book.budgets.length > 0);
        chosen = first ? { book: first.name, budget: first.budgets[0].name } : null;
      }
      complain("");
      showBooks();
      if (chosen) await showBudget();
      else part(root, "meaning").textContent = speak("There is no budget yet: gaussdp ledger open makes one.");
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      complain(error.message);
    }
  }

  function showBooks() {
    const held = part(root, "books").contains(document.activeElement);
    part(root, "books").replaceChildren(...books.map((book) => h("div", { class: "book" },
      h("p", { class: "note" }, h("b", {}, book.name), book.problem ? "" : speak(", for {unit}: {neighbours}", book)),
      book.problem ? h("p", { class: "problem" }, book.problem) : budgetList(book),
    )));
    if (held) part(root, "books").querySelector("[aria-pressed=true]")?.focus();
  }

  function budgetList(book) {
    const list = h("ul", { class: "budgets" });
    for (const budget of book.budgets) {
      const mine = chosen?.book === book.name && chosen.budget === budget.name;
      const amount = budget.per_person ? speak("μ = {total_text} each", budget) : speak("{left_text} of {total_text} left", budget);
      list.append(h("li", { class: `inside-${Math.min(budget.within.length, 4)}` },
        h("button", { type: "button", class: "budget", "aria-pressed": String(mine), onclick: () => choose(book.name, budget.name) },
          h("span", { class: "budget-name" }, budget.name),
          h("span", { class: "budget-amount" }, amount),
          budget.share === null ? null : meter(budget.share))));
    }
    return list;
  }

  function choose(book, budget) {
    chosen = { book, budget };
    return load();
  }

  async function showBudget() {
    const asked = chosen;
    const answer = await ask("ledger/budget", asked);
    if (asked !== chosen) return; // another was chosen meanwhile
    const { balance } = answer;
    part(root, "title").textContent = balance.per_person ? speak("{name}: what each person may spend", balance) : speak("{name}: what is left", balance);
    part(root, "left").textContent = balance.per_person ? balance.total_text : balance.left_text;
    part(root, "meaning").textContent = balance.per_person
      ? speak("What people have spent depends on the data, so that it is not shown.")
      : speak("The largest μ of one more release. Squares of μ add up: it is no difference.");
    part(root, "facts").replaceChildren(...facts(balance).map(([name, value]) => h("div", { class: "fact" }, h("dt", {}, name), h("dd", {}, value))));
    part(root, "picture").replaceChildren(balance.per_person
      ? h("p", { class: "note" }, speak("It would depend on the data."))
      : timeline(answer.over_time, answer.total, balance));
    const rows = answer.entries.map((entry) => [String(entry.seq), entry.time, KINDS[entry.kind] ?? entry.kind, entry.budget ?? "", entry.key ?? "", entry.mu_text, entry.slack_text, entry.words]);
    part(root, "history").replaceChildren(table(speak("History of {name}, the newest first", balance), [speak("Entry"), speak("Time (UTC)"), speak("What"), speak("The budget"), speak("Key"), "μ", speak("Slack"), speak("Words")], rows));
    const { head } = books.find((book) => book.name === asked.book);
    part(root, "head").textContent = speak("The latest {count} entries. Head of the chain: {head}", { count: counted(rows.length), head });
    form.show(balance.name, answer.entries);
    announce(`${balance.name}: ${part(root, "meaning").textContent} μ = ${part(root, "left").textContent}`);
  }

  part(root, "refresh").addEventListener("click", () => load());
  store.listen((changed) => {
    if (changed.has("view") && store.read("view") === "ledger") load();
  });
  if (store.read("view") === "ledger") load();
}

function facts(balance) {
  const rows = [[speak("The budget"), `μ = ${balance.total_text}`]];
  if (!balance.per_person) {
    rows.push([speak("Spent"), `μ = ${balance.spent_text}`], [balance.period ? speak("Reserved and not resolved, any {period}", balance) : speak("Of it reserved and not resolved"), `μ = ${balance.reserved_text}`]);
    if (balance.within.length) rows.push([speak("Left, with those it lies within"), `μ = ${balance.available_text}`]);
  }
  if (balance.slack_text !== "0") rows.push([speak("Slack spent"), speak("{slack_spent_text} of {slack_text}", balance)]);
  if (balance.within.length) rows.push([speak("Lies within"), balance.within.join(", ")]);
  if (balance.period) rows.push([speak("Number of this {period}", balance), String(balance.periods)], [speak("Spent in all of them"), `μ = ${balance.lifetime_text}`], [speak("Mind"), RENEWAL]);
  return rows;
}

function meter(share) {
  const percent = Math.round(share * 100);
  const bar = h("span", { class: "budget-bar", role: "img", "aria-label": speak("{percent} % of the square of μ spent", { percent }) }, h("span", {}));
  bar.firstChild.style.setProperty("--share", `${percent}%`);
  return bar;
}

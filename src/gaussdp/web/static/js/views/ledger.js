// The budget book: what is left, what happened, over time; and spending, where the server was started for it.

import { announce } from "../announce.js";
import { ask, Refusal, spend } from "../api.js";
import { VIEWS } from "../definitions.js";
import { h, part, table } from "../dom.js";
import { spendingForm } from "../spending.js";
import { timeline } from "../timeline.js";

const KINDS = { create: "made", open: "opened", reserve: "reserved", commit: "committed", refund: "refunded", renew: "renewed", upgrade: "upgraded" };
const RENEWAL = "Privacy loss does not renew: what was released in earlier periods stays released.";

/** The tab and its panel, where the server shows books: before the tabs are set up. */
export function placeLedger() {
  VIEWS.push("ledger");
  document.querySelector("[role=tablist]").append(
    h("button", { type: "button", role: "tab", id: "tab-ledger", "aria-controls": "ledger", "aria-selected": "false", tabIndex: -1, "data-view": "ledger" },
      h("span", { class: "tab-title" }, "Budget book"), h("span", { class: "tab-hint" }, "what is spent, and what is left")),
  );
  const empty = (name, ...more) => h("div", { "data-part": name }, ...more);
  document.getElementById("main").append(
    h("section", { role: "tabpanel", id: "ledger", "aria-labelledby": "tab-ledger", class: "view", hidden: true },
      h("h2", { class: "visually-hidden" }, "The budget book"),
      h("div", { class: "column" },
        h("div", { class: "card" },
          h("h3", {}, "Budgets"),
          h("div", { class: "problem", "data-part": "problem", role: "status", hidden: true }),
          empty("books"),
          h("p", { class: "onward" }, h("button", { type: "button", class: "small", "data-part": "refresh" }, "Read again")),
        ),
        h("div", { class: "card" }, h("h3", {}, "Over time"), empty("picture")),
      ),
      h("div", { class: "column" },
        h("div", { class: "card answer" },
          h("h3", { "data-part": "title" }, "What is left"),
          h("p", { class: "headline" }, h("span", { class: "headline-symbol" }, "μ = "), h("output", { class: "headline-number", "data-part": "left" }, "–")),
          h("p", { class: "meaning", "data-part": "meaning" }),
          h("dl", { class: "facts", "data-part": "facts" }),
        ),
        h("div", { class: "card", "data-part": "spending", hidden: true }),
      ),
      h("div", { class: "card wide" },
        h("h3", {}, "History"),
        h("div", { class: "scroll words history", "data-part": "history", tabIndex: 0, role: "region", "aria-label": "History, table" }),
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
      else part(root, "meaning").textContent = "There is no budget yet: gaussdp ledger open makes one.";
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      complain(error.message);
    }
  }

  function showBooks() {
    const held = part(root, "books").contains(document.activeElement);
    part(root, "books").replaceChildren(...books.map((book) => h("div", { class: "book" },
      h("p", { class: "note" }, h("b", {}, book.name), book.problem ? "" : `, for ${book.unit}: ${book.neighbours}`),
      book.problem ? h("p", { class: "problem" }, book.problem) : budgetList(book),
    )));
    if (held) part(root, "books").querySelector("[aria-pressed=true]")?.focus();
  }

  function budgetList(book) {
    const list = h("ul", { class: "budgets" });
    for (const budget of book.budgets) {
      const mine = chosen?.book === book.name && chosen.budget === budget.name;
      const amount = budget.per_person ? `μ = ${budget.total_text} each` : `${budget.left_text} of ${budget.total_text} left`;
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
    part(root, "title").textContent = balance.per_person ? `${balance.name}: what each person may spend` : `${balance.name}: what is left`;
    part(root, "left").textContent = balance.per_person ? balance.total_text : balance.left_text;
    part(root, "meaning").textContent = balance.per_person
      ? "What people have spent depends on the data, so that it is not shown."
      : "The largest μ of one more release. Squares of μ add up: it is no difference.";
    part(root, "facts").replaceChildren(...facts(balance).map(([name, value]) => h("div", { class: "fact" }, h("dt", {}, name), h("dd", {}, value))));
    part(root, "picture").replaceChildren(balance.per_person
      ? h("p", { class: "note" }, "It would depend on the data.")
      : timeline(answer.over_time, answer.total, balance));
    const rows = answer.entries.map((entry) => [String(entry.seq), entry.time, KINDS[entry.kind] ?? entry.kind, entry.budget ?? "", entry.key ?? "", entry.mu_text, entry.slack_text, entry.words]);
    part(root, "history").replaceChildren(table(`History of ${balance.name}, the newest first`, ["entry", "time (UTC)", "what", "budget", "key", "μ", "slack", "words"], rows));
    const { head } = books.find((book) => book.name === asked.book);
    part(root, "head").textContent = `The latest ${rows.length} entries. Head of the chain: ${head}`;
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
  const rows = [["Budget", `μ = ${balance.total_text}`]];
  if (!balance.per_person) {
    rows.push(["Spent", `μ = ${balance.spent_text}`], [balance.period ? `Reserved and not resolved, any ${balance.period}` : "Of it reserved and not resolved", `μ = ${balance.reserved_text}`]);
    if (balance.within.length) rows.push(["Left, with those it lies within", `μ = ${balance.available_text}`]);
  }
  if (balance.slack_text !== "0") rows.push(["Slack spent", `${balance.slack_spent_text} of ${balance.slack_text}`]);
  if (balance.within.length) rows.push(["Lies within", balance.within.join(", ")]);
  if (balance.period) rows.push([`Number of this ${balance.period}`, String(balance.periods)], ["Spent in all of them", `μ = ${balance.lifetime_text}`], ["Mind", RENEWAL]);
  return rows;
}

function meter(share) {
  const percent = Math.round(share * 100);
  const bar = h("span", { class: "budget-bar", role: "img", "aria-label": `${percent} % of the square of μ spent` }, h("span", {}));
  bar.firstChild.style.setProperty("--share", `${percent}%`);
  return bar;
}

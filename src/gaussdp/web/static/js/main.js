// The page: fields, views, tabs and the address, tied together by one store.

import { readAddress, writeAddress } from "./address.js";
import { define } from "./definitions.js";
import { setUpFields } from "./fields.js";
import { leaving, setUpLanguages } from "./languages.js";
import { createStore } from "./store.js";
import { setUpTabs } from "./tabs.js";
import { setUpTerms } from "./terms.js";
import { setUpTheme } from "./theme.js";
import { setUpAccount } from "./views/account.js";
import { setUpChoose } from "./views/choose.js";
import { placeLedger, setUpLedger } from "./views/ledger.js";
import { placeQuestions, setUpStart } from "./views/start.js";
import { setUpUnderstand } from "./views/understand.js";

const notice = document.getElementById("address-notice");
const notify = (words) => {
  notice.hidden = words === "";
  notice.textContent = words;
};

const ledger = Boolean(document.documentElement.dataset.ledger); // whether the server shows budget books
if (!leaving()) {
  setUpTheme();
  setUpLanguages();
  define(JSON.parse(document.getElementById("definitions").textContent));
  setUp();
}

function setUp() {
  if (ledger) placeLedger();
  const read = readAddress(location.search);
  const store = createStore(read.state);
  setUpTerms();
  placeQuestions(document.getElementById("start"));
  const fields = setUpFields(store);

  const tabs = setUpTabs(document.querySelector("[role=tablist]"), (view) => go({ view }));
  tabs.show(store.read("view"));

  /** Another view: a step that the browser's Back undoes. */
  function go(changes) {
    if (changes.view !== store.read("view")) {
      settle();
      history.pushState(null, "", location.href);
    }
    store.write(changes);
  }

  for (const button of document.querySelectorAll("[data-go]")) {
    button.addEventListener("click", () => {
      const view = button.dataset.go;
      go({ view, ...views[store.read("view")].handOver(view) });
      document.getElementById(`tab-${view}`).focus();
      window.scrollTo({ top: 0 });
    });
  }

  const views = {
    start: setUpStart(document.getElementById("start"), store, fields),
    choose: setUpChoose(document.getElementById("choose"), store, fields),
    account: setUpAccount(document.getElementById("account"), store, fields),
  };
  setUpUnderstand(document.getElementById("understand"), store, fields);
  if (ledger) setUpLedger(document.getElementById("ledger"), store);

  const show = ({ problems, choices }) => {
    notify(problems.join(" "));
    for (const [name, words] of Object.entries(choices)) fields[name].note(words);
  };
  show(read);

  // Not at every step of a drag: browsers refuse addresses that change too often.
  const SETTLED = 250; // milliseconds
  let pending = 0;
  function settle() {
    clearTimeout(pending);
    pending = 0;
    history.replaceState(null, "", writeAddress(store.all()));
  }
  store.listen((changed) => {
    if (changed.has("view")) tabs.show(store.read("view"));
    pending ||= setTimeout(settle, SETTLED);
  });
  addEventListener("popstate", () => {
    const back = readAddress(location.search);
    store.write(back.state);
    show(back);
  });
  document.documentElement.dataset.ready = "true";
}

// Two ways to keep up with a hand that moves faster than the answers come.

import { ask, Refusal } from "./api.js";

const SPACING = 20; // milliseconds between two questions of one kind: a screen may be faster than the server allows

/**
 * For quick questions: at most one a frame and one under way; of those asked meanwhile only the last is sent.
 * So a drag shows answers all along, and what is shown in the end is the answer to the last question.
 * @template Q, A
 * @param {(question: Q) => Promise<A>} send
 * @param {(answer: A, question: Q) => void} onAnswer
 * @param {(error: Refusal, question: Q) => void} onRefusal
 */
export function eachFrame(send, onAnswer, onRefusal) {
  let waiting = null;
  let underWay = null;
  let scheduled = false;
  let sent = -Infinity;

  const schedule = () => {
    if (scheduled || underWay || !waiting) return;
    scheduled = true;
    requestAnimationFrame(run);
  };
  const run = async () => {
    scheduled = false;
    if (!waiting) return;
    if (performance.now() - sent < SPACING) return schedule();
    sent = performance.now();
    const { question } = waiting;
    const mine = { wanted: true };
    waiting = null;
    underWay = mine;
    try {
      const answer = await send(question);
      if (mine.wanted) onAnswer(answer, question);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (mine.wanted && !waiting) onRefusal(error, question);
      if (error.retryAfter) setTimeout(again, 1000 * error.retryAfter, mine, question);
    } finally {
      underWay = null;
      schedule();
    }
  };
  const again = (mine, question) => {
    if (!mine.wanted || waiting || underWay) return;
    waiting = { question };
    schedule();
  };
  return {
    /** @param {Q} question */
    ask(question) {
      waiting = { question };
      schedule();
    },
    /** Forget what waits and what is under way: the question no longer makes sense. */
    drop() {
      waiting = null;
      if (underWay) underWay.wanted = false;
    },
  };
}

const RESTED = 200; // milliseconds after which a hand rests

/**
 * For what takes longer than a frame to find, or is looked at later: a first move is followed at once, one soon after
 * another when the hand rests.
 * @template Q
 * @param {(question: Q) => void} ask
 */
export function whenRested(ask) {
  let timer = 0;
  let last = -Infinity;
  return {
    /** @param {Q} question */
    ask(question) {
      clearTimeout(timer);
      const moving = performance.now() - last < RESTED;
      last = performance.now();
      timer = setTimeout(ask, moving ? RESTED : 0, question);
    },
    drop: () => clearTimeout(timer),
  };
}

/**
 * A question in two parts: what is looked at first at each frame, the rest when the hand rests. Until the rest is there,
 * the view is `behind`.
 * @param {HTMLElement} root the view
 * @param {string} path of the question
 * @param {{first: () => string[], rest: string[], about: (question: any) => any, show: (answer: any) => void, showRest: (answer: any) => void, refuse: (error: Refusal) => void}} options
 *   which parts of the answer come first, which are the rest, what of the question the rest depends on, and who shows them
 */
export function inParts(root, path, { first, rest, about, show, showRest, refuse }) {
  let known = ""; // what the rest that is shown is about
  let last = null; // the last question
  const key = (question) => JSON.stringify(about(question));
  const behind = (yes) => root.classList.toggle("behind", yes);
  const refused = (error) => {
    behind(false);
    refuse(error);
  };
  const firsts = eachFrame(
    (question) => ask(path, { ...question, parts: first() }),
    (answer, question) => {
      show(answer);
      behind(key(last) !== known);
      if (question === last && key(question) !== known) rested.ask(question);
    },
    refused,
  );
  const rests = eachFrame(
    (question) => ask(path, { ...question, parts: rest }),
    (answer, question) => tellRest(answer, question),
    refused,
  );
  const rested = whenRested((question) => rests.ask(question));
  const tellRest = (answer, question) => {
    showRest(answer);
    known = key(question);
    behind(false);
  };
  const dropRest = () => {
    rested.drop();
    rests.drop();
  };
  return {
    ask(question) {
      behind(key(question) !== known);
      dropRest();
      last = question;
      firsts.ask(question);
    },
    drop() {
      behind(false);
      firsts.drop();
      dropRest();
    },
    /** All of the answer, shown, for what is to be kept. */
    async whole(question) {
      this.drop();
      const answer = await ask(path, question);
      show(answer);
      tellRest(answer, question);
    },
  };
}

/**
 * For long questions: a new one aborts the one under way.
 * @template Q, A
 * @param {(question: Q, signal: AbortSignal) => Promise<A>} ask
 * @param {{start: () => void, answer: (answer: A) => void, refusal: (error: Refusal) => void, stop: () => void}} on
 */
export function superseding(ask, on) {
  let current = null;
  return {
    /** @param {Q} question */
    async ask(question) {
      current?.abort();
      const controller = new AbortController();
      current = controller;
      on.start();
      try {
        const answer = await ask(question, controller.signal);
        if (current === controller) on.answer(answer);
      } catch (error) {
        if (error.name === "AbortError") return;
        if (!(error instanceof Refusal)) throw error;
        if (current === controller) on.refusal(error);
      } finally {
        if (current === controller) {
          current = null;
          on.stop();
        }
      }
    },
    /** @returns {boolean} whether there was something to cancel */
    cancel() {
      const running = current !== null;
      current?.abort();
      current = null;
      if (running) on.stop();
      return running;
    },
  };
}

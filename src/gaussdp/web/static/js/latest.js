// Two ways to keep up with a hand that moves faster than the answers come.

import { Refusal } from "./api.js";

const SPACING = 20; // milliseconds between two questions of one kind: a screen may be faster than the server allows

/**
 * For quick questions: at most one a frame and one under way; of those asked meanwhile only the last is sent.
 * So a drag shows answers all along, and what is shown in the end is the answer to the last question.
 * @template Q, A
 * @param {(question: Q) => Promise<A>} ask
 * @param {(answer: A, question: Q) => void} onAnswer
 * @param {(error: Refusal, question: Q) => void} onRefusal
 */
export function eachFrame(ask, onAnswer, onRefusal) {
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
      const answer = await ask(question);
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

// The state of the page: the text of every field as the person wrote it, the view, and the scale of the pictures.

import { FIELDS } from "./definitions.js";

/** @returns {Record<string, string>} */
export function initialState() {
  const state = { view: "start", scale: "log" };
  for (const [name, field] of Object.entries(FIELDS)) state[name] = field.initial;
  return state;
}

export function createStore(state = initialState()) {
  const listeners = [];
  return {
    /** @param {string} name */
    read: (name) => state[name],
    all: () => ({ ...state }),
    /**
     * Sets some entries and tells everyone which of them changed.
     * @param {Record<string, string>} changes
     */
    write(changes) {
      const changed = new Set(Object.keys(changes).filter((name) => state[name] !== changes[name]));
      if (changed.size === 0) return;
      Object.assign(state, changes);
      for (const listener of listeners) listener(changed);
    },
    /** @param {(changed: Set<string>) => void} listener */
    listen(listener) {
      listeners.push(listener);
    },
  };
}

// What a policy asks for, as the library's texts: epsilon=3 delta=1e-5, accuracy=0.55, tpr@0.001=0.01.

import { brief } from "./numbers.js";

/** How a policy can be stated, by key: what is bounded, with what to start, and the level; as the server defines them. */
export const CURRENCIES = {};

/** The cells of a requirement in this currency. */
export function policyCells(kind) {
  const { bound, start, level, start_level: at } = CURRENCIES[kind];
  const value = { key: "value", label: bound, initial: start, example: start, range: "policy_value" };
  if (kind === "epsilon") return [value, { key: "level", label: "δ (empty for pure DP)", initial: "", example: "none", optional: true, range: "policy_level" }];
  return level ? [value, { key: "level", label: level.title, initial: at, example: at, range: "policy_level" }] : [value];
}

/** The text for a currency, its value and its level. */
export function policyText({ kind, value, level }) {
  const at = level === undefined || level === null ? "" : brief(level, 15);
  if (kind === "epsilon") return `epsilon=${brief(value, 15)}${at && at !== "0" ? ` delta=${at}` : ""}`;
  return `${kind.replaceAll("_", "-")}${at && `@${at}`}=${brief(value, 15)}`;
}

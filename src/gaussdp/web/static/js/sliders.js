// How a slider walks through numbers: evenly in the logarithm, or evenly, in values with few digits.

import { brief } from "./numbers.js";

export const POSITIONS = 400;

/** @param {{low: number, high: number, digits: number, linear?: boolean}} slider */
export function valueAt(slider, position) {
  const share = position / POSITIONS;
  const { low, high } = slider;
  const value = slider.linear ? low + share * (high - low) : low * (high / low) ** share;
  return brief(Math.min(Math.max(value, low), high), slider.digits);
}

/** @param {{low: number, high: number, linear?: boolean}} slider */
export function positionOf(slider, value) {
  const { low, high } = slider;
  const held = Math.min(Math.max(value, low), high);
  const share = slider.linear ? (held - low) / (high - low) : Math.log(held / low) / Math.log(high / low);
  return POSITIONS * share;
}

/** The text so many positions further; a coarse value may stay the same for a few of them. */
export function moved(slider, value, steps) {
  let position = positionOf(slider, value);
  const before = brief(value, slider.digits);
  let text = before;
  do {
    position = Math.min(Math.max(position + steps, 0), POSITIONS);
    text = valueAt(slider, position);
  } while (text === before && position > 0 && position < POSITIONS);
  return text;
}

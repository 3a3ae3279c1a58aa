// What a person types, and the few numbers that the page itself writes: levels, slider values, readings of a picture.

import { counted, numeral, speak, written } from "./words.js";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const GROUPED = /^[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/**
 * The number in a field, or what is wrong with it. Taken are 0.5 and 0,5, 0.1%, 1/1000 and 1 in 1000, 1e-3, 10^-3 and
 * 10⁻³, and 50,000 where only one thing can be meant.
 * @param {string} text
 * @param {string} example
 * @param {boolean} [whole] whether commas can only stand between thousands
 * @returns {{value: number} | {problem: string}}
 */
export function parse(text, example, whole = false) {
  const trimmed = text.trim();
  if (trimmed === "") return { problem: speak("Write a number, such as {example}.", { example }) };
  if (!whole && GROUPED.test(trimmed) && trimmed.indexOf(",") === trimmed.lastIndexOf(",") && !trimmed.includes(".")) {
    return { problem: speak("“{text}” can mean {point} or {none}: write it without a comma.", { text: trimmed, point: trimmed.replace(",", "."), none: trimmed.replace(",", "") }) };
  }
  const value = stated(programmed(trimmed), whole);
  if (!Number.isFinite(value)) return { problem: speak("“{text}” is not a number; write one such as {example}.", { text: trimmed.slice(0, 40), example }) };
  return { value };
}

/** The number that a text states, NaN if none. */
export function numberIn(text) {
  const read = parse(text, "");
  return "problem" in read ? NaN : read.value;
}

/** Signs and powers of ten as programs write them: −2 × 10⁻³ is -2e-3. */
function programmed(text) {
  const digits = text.replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹]/g, (digit) => String(SUPERSCRIPTS.indexOf(digit)));
  const power = /[⁻⁰¹²³⁴⁵⁶⁷⁸⁹^]/.test(text) ? digits.replace(/ ?[×·] ?10\^?|(?<![\d.,])10(?=\^|⁻)\^?/, (found) => (/[×·]/.test(found) ? "e" : "1e")) : digits;
  return power.replace(/[−–⁻]/g, "-");
}

function stated(text, whole) {
  const percent = /^(.*\S) ?%$/.exec(text);
  if (percent) return one(percent[1], false) / 100;
  const share = /^(\S+) ?(?:\/| in | of | von | zu ) ?(\S+)$/.exec(text);
  return share ? one(share[1], whole) / one(share[2], true) : one(text, whole);
}

/** One number, with commas or thin spaces between its thousands or a comma for the point. */
function one(text, whole) {
  const grouped = GROUPED.test(text) && (whole || /,.*[,.]/.test(text));
  const spaced = /^\d{1,3}([ \u00a0\u202f]\d{3})+$/.test(text);
  const pointed = grouped ? text.replaceAll(",", "") : spaced ? text.replace(/\D/g, "") : text.replace(",", ".");
  return NUMBER.test(pointed) ? Number(pointed) : NaN;
}

/** What a number may be, in words: "above 0 and below 1", "above 0", "a whole number from 1 to 100"; null if it is that. */
export function misfit(value, { low, high, low_included, high_included, whole }) {
  const top = high === "inf" ? Infinity : high;
  const fits = (low_included ? value >= low : value > low) && (high_included ? value <= top : value < top) && (!whole || Number.isInteger(value));
  if (fits) return null;
  return within(numeral(brief(low, 15)), top === Infinity ? "∞" : top >= 1e6 ? counted(top) : numeral(brief(top, 15)), low_included, high_included, whole);
}

/** The words for an interval. */
export function within(low, high, lowIncluded, highIncluded, whole = false) {
  const words = interval(low, high, lowIncluded, highIncluded);
  return whole ? speak("a whole number {interval}", { interval: words }) : words;
}

function interval(low, high, lowIncluded, highIncluded) {
  if (high === "∞") return lowIncluded ? speak("at least {low}", { low }) : speak("above {low}", { low });
  if (lowIncluded && highIncluded) return speak("from {low} to {high}", { low, high });
  if (!lowIncluded && !highIncluded) return speak("above {low} and below {high}", { low, high });
  return lowIncluded ? speak("at least {low} and below {high}", { low, high }) : speak("above {low} and at most {high}", { low, high });
}

/** The shortest text of a value with so many significant digits: 0.31, 50000, 1e-5. */
export function brief(value, digits) {
  if (value === 0) return "0";
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  if (size >= 1e-3 && size < 1e7) return String(rounded);
  return rounded.toExponential().replace("e+", "e");
}

/** A level as the library writes it: a power of ten below a tenth by its exponent. */
export function levelText(value) {
  const power = Math.round(Math.log10(value));
  return power < -1 && value === Number(`1e${power}`) ? `1e${power}` : brief(value, 3);
}

/** A rate of a picture rounded down (false-negative rates) or up (true-positive rates), so that it errs on the safe side. */
export function oneSided(value, side, digits = 3) {
  if (value === 0 || value === 1) return String(value);
  let rounded = Number(value.toPrecision(digits));
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(value))) - digits + 1);
  if (side === "up" && rounded < value) rounded += unit;
  if (side === "down" && rounded > value) rounded -= unit;
  return brief(rounded, digits);
}

/** A power of ten as it is written by hand: 10⁻³. */
export function powerOfTen(exponent) {
  if (exponent === 0) return "1";
  const digits = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPTS[Number(digit)]).join("");
  return `10${exponent < 0 ? "⁻" : ""}${digits}`;
}

// What a person types, and the few numbers that the page itself writes: levels, slider values, readings of a picture.

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * The number in a field, or what is wrong with it.
 * @param {string} text
 * @param {string} example
 * @returns {{value: number} | {problem: string}}
 */
export function parse(text, example) {
  const trimmed = text.trim();
  if (trimmed === "") return { problem: `Write a number, such as ${example}.` };
  if (/^\d+(,\d+)+$/.test(trimmed)) return { problem: `Write the number without a comma, such as ${example}.` };
  const value = NUMBER.test(trimmed) ? Number(trimmed) : NaN;
  if (!Number.isFinite(value)) return { problem: `“${trimmed.slice(0, 40)}” is not a number; write one such as ${example}.` };
  return { value };
}

/** The shortest text of a value with so many significant digits: 0.31, 50000, 1e-5. */
export function brief(value, digits) {
  if (value === 0) return "0";
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  if (size >= 1e-3 && size < 1e7) return String(rounded);
  return rounded.toExponential().replace("e+", "e");
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

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A power of ten as it is written by hand: 10⁻³. */
export function powerOfTen(exponent) {
  if (exponent === 0) return "1";
  const digits = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPTS[Number(digit)]).join("");
  return `10${exponent < 0 ? "⁻" : ""}${digits}`;
}

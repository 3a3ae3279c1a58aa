// Words in the language of the page: English stands where it is said, its translation comes with the page.

const told = JSON.parse(globalThis.document?.getElementById("words")?.textContent || "{}");
const NUMERAL = /^([-−+]?)(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))?(e[+-]?\d+)?(%)?$/;
const THIN = "\u202f"; // between thousands: no line is broken there, and none can be taken for a fraction

/** The language's tag. */
export const LANGUAGE = globalThis.document?.documentElement.lang || "en";
const comma = LANGUAGE === "de";

/**
 * A sentence in the language of the page.
 * @param {string} template in English, with the names of values in braces
 * @param {Record<string, string | number>} [values] as they are to be read
 */
export function speak(template, values = {}) {
  return (told[template] ?? template).replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/** A number in English notation, as the language writes it; any other text as it is. */
export function numeral(text) {
  const found = comma ? NUMERAL.exec(text) : null;
  if (!found) return text;
  const [, sign, whole, fraction, exponent, percent] = found;
  return `${sign}${whole.replaceAll(",", THIN)}${fraction ? `,${fraction}` : ""}${exponent ?? ""}${percent ? `${THIN}%` : ""}`;
}

/** A whole number, its thousands apart. */
export const counted = (number) => numeral(number.toLocaleString("en"));

/** What a person typed, as the page keeps it: with a point, whatever the language writes. */
export function kept(text, whole = false) {
  if (!comma) return text;
  if (whole && /^\s*\d{1,3}(\.\d{3})+\s*$/.test(text)) return text.replaceAll(".", "");
  return text.replace(/(?<=^|[\s/])([-−+]?\d*),(\d*)(?=$|[e%\s/])/g, "$1.$2");
}

/** What the page keeps, as a person of this language writes it. */
export const written = (text) => (comma ? text.replace(/(?<=^|[\s/])([-−+]?\d*)\.(\d*)(?=$|[e%\s/])/g, "$1,$2") : text);

const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
/** A character of a number behind its first one: a digit or one of `+-.eE`. */
const continues = (code: number) => isDigit(code) || '+-.eE'.includes(String.fromCharCode(code));

/**
 * The first number in a JSON text that JavaScript would silently change: an integer beyond 2^53 - 1, or one that would be infinite. Null if
 * there is none. The text is known to be JSON. Pure.
 */
export function inexactNumberIn(json: string): string | null {
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfString(json, at);
    else if (code === minus || isDigit(code)) {
      const start = at;
      while (at + 1 < json.length && continues(json.charCodeAt(at + 1))) at++;
      const written = json.slice(start, at + 1);
      if (!isExact(written)) return written;
    }
  }
  return null;
}

/** The place of its closing quote. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  for (let code = json.charCodeAt(at); code !== quote && at < json.length; code = json.charCodeAt(at)) {
    at += code === backslash ? 2 : 1;
  }
  return at;
}

/** The digits of a fraction may be rounded, as they are everywhere. */
const isExact = (written: string) =>
  /[.eE]/.test(written) ? Number.isFinite(Number(written)) : Number.isSafeInteger(Number(written));

/** Says what to do about such a number. */
export const inexactNumber = (written: string): string =>
  `the number ${written.length > 40 ? `${written.slice(0, 40)}…` : written} cannot be kept exactly; pass it as a text`;

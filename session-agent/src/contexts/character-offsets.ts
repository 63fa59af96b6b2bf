/** How many Unicode characters stand before a place that counts UTF-16 code units; one within a character counts as before it. */
export function charactersBefore(code: string, unit: number): number {
  let characters = 0;
  for (let at = 0; at < code.length; characters++) {
    at += unitsAt(code, at);
    if (at > unit) break;
  }
  return characters;
}

/** The place behind so many Unicode characters, in UTF-16 code units; the end where there are fewer. */
export function unitsBefore(code: string, characters: number): number {
  let unit = 0;
  for (let left = characters; left > 0 && unit < code.length; left--) unit += unitsAt(code, unit);
  return unit;
}

const unitsAt = (code: string, at: number) => ((code.codePointAt(at) as number) > 0xffff ? 2 : 1);

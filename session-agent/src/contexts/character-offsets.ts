/** Converts an offset in UTF-16 code units to one in Unicode characters. An offset within a character counts as the one before it. */
export function charactersBefore(code: string, unit: number): number {
  let characters = 0;
  for (let at = 0; at < code.length; characters++) {
    at += unitsAt(code, at);
    if (at > unit) break;
  }
  return characters;
}

/** Converts an offset in Unicode characters to one in UTF-16 code units; the end of the code if it has fewer characters. */
export function unitsBefore(code: string, characters: number): number {
  let unit = 0;
  for (let left = characters; left > 0 && unit < code.length; left--) unit += unitsAt(code, unit);
  return unit;
}

const unitsAt = (code: string, at: number) => ((code.codePointAt(at) as number) > 0xffff ? 2 : 1);

/**
 * Whether the text matches the pattern, in which each `*` stands for any number of any characters. The time is linear in the text for each
 * piece of the pattern, and no text makes it try again. Pure.
 *
 * The text may be a pattern itself: its `*` are then characters that only a `*` of the pattern matches. So a pattern that matches another
 * one matches everything that the other one does.
 */
export function matchesName(pattern: string, text: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  for (const piece of others) {
    const at = text.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return from + last.length <= text.length;
}

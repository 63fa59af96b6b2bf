import { createInterface, type Interface } from 'node:readline';
import { PassThrough } from 'node:stream';

let measure: Interface | undefined;

const isAscii = (text: string) => /^[ -~]*$/.test(text);

/** The columns of a terminal that the text takes: two for a wide character, none for one that combines with that before it. */
export function widthOf(text: string): number {
  if (isAscii(text)) return text.length;
  // Node's editor of lines knows the characters of all scripts.
  measure ??= createInterface({ input: new PassThrough(), output: new PassThrough(), terminal: false });
  measure.setPrompt(text);
  return measure.getCursorPos().cols;
}

/** The text with spaces behind it. */
export const padTo = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** The text, or as much of it as leaves room for the sign that it goes on. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let taken = '';
  let left = Math.max(1, width) - 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    taken += segment;
  }
  return `${taken}…`;
}

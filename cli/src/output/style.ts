import type { WriteStream } from 'node:tty';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

const codes: Record<Style, [on: number, off: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** Colours for a terminal that has some. Node's answer respects `NO_COLOR` and `FORCE_COLOR`. */
export function styles(stream: NodeJS.WriteStream): (style: Style, text: string) => string {
  const hasColors = stream.isTTY && (stream as WriteStream).hasColors();
  return (style, text) => (hasColors ? `\u001b[${codes[style][0]}m${text}\u001b[${codes[style][1]}m` : text);
}

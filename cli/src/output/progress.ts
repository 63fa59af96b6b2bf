import { printable } from './table.ts';

/** Tells a person who waits what is going on: on stderr, if that is a terminal, and only until the work is done. */
export async function withProgress<Value>(text: string, work: Promise<Value>): Promise<Value> {
  const { stderr } = process;
  if (!stderr.isTTY) return await work;
  let isShown = false;
  // Most work is done before it is worth a word.
  const timer = setTimeout(() => {
    isShown = true;
    stderr.write(`${text} …`);
  }, 300);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    if (isShown) stderr.write('\r\u001b[K');
  }
}

/** A line for the person beside the data. Reasons and names in it may come from sandboxes. */
export const note = (text: string) => void process.stderr.write(`${text.split('\n').map(printable).join('\n')}\n`);

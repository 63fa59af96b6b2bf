/** Tells a person who waits what is going on: on stderr, if that is a terminal, and only until the work is done. */
export async function withProgress<Value>(text: string, work: Promise<Value>): Promise<Value> {
  const { stderr } = process;
  if (!stderr.isTTY) return await work;
  // Most work is done before it is worth a word.
  const timer = setTimeout(() => stderr.write(`${text} …`), 300);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    stderr.write('\r\u001b[K');
  }
}

/** A line for the person beside the data. */
export const note = (text: string) => void process.stderr.write(`${text}\n`);

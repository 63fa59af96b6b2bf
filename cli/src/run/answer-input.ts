import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { InputRequest } from '@holdfast/sdk';

/** Answers code that asks for input: a person at a terminal, or else the lines of stdin, whose end is the end of the input. */
export function inputAnswers() {
  const { stdin } = process;
  let lines: { reader: Interface; next: AsyncIterator<string> } | undefined;
  let question: Interface | undefined;
  let isClosed = false;
  return {
    async input(request: InputRequest): Promise<string | null> {
      if (isClosed) return null;
      if (stdin.isTTY) {
        question = questionReader(request);
        return await answerOf(question);
      }
      if (!lines) {
        const reader = createInterface({ input: stdin });
        lines = { reader, next: reader[Symbol.asyncIterator]() };
      }
      const { done, value } = await lines.next.next();
      return done ? null : value;
    },

    /** Ends the input, also for a question that waits. */
    close() {
      isClosed = true;
      question?.close();
      lines?.reader.close();
      stdin.unref?.();
    },
  };
}

/** Asks on stderr, so that stdout has the output of the code alone, and does not show a password. */
function questionReader({ prompt, password }: InputRequest): Interface {
  let isMuted = false;
  const output = new Writable({
    write(text, _, done) {
      if (!isMuted) process.stderr.write(text);
      done();
    },
  });
  const reader = createInterface({ input: process.stdin, output, terminal: true, prompt, historySize: 0 });
  // In raw mode, Ctrl-C is a key.
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  // Otherwise nothing reads any more after Ctrl-Z.
  reader.on('SIGCONT', () => reader.resume());
  reader.prompt();
  isMuted = password;
  // The terminal has shown the end of a line that it has shown.
  let isShown = false;
  reader.once('line', () => {
    isShown = !password;
  });
  reader.once('close', () => isShown || process.stderr.write('\n'));
  return reader;
}

const answerOf = (reader: Interface) =>
  new Promise<string | null>((resolve) => {
    reader.once('close', () => resolve(null));
    // The terminal of a closed window cannot be read, or set to any mode.
    reader.on('error', () => resolve(null));
    reader.once('line', (line) => {
      resolve(line);
      reader.close();
    });
  });

import { clearScreenDown, createInterface, cursorTo } from 'node:readline';
import { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { historyLinesMax } from './history.ts';

/** Texts that may stand in the place of `replaced`, which is the end of the line up to the cursor. */
export type Choice = { texts: string[]; replaced: string };

/** A line, several that were pasted at once, or the reason why none came: Ctrl-C, or the end of the input. */
export type Line = { text: string } | { text: null; isEnd: boolean };

type Options = {
  history: string[];
  complete(line: string): Promise<Choice>;
  /** Ctrl-C. In raw mode it is a key. */
  onInterrupt(): void;
  /** Another line of code is in the history. */
  onHistory(line: string): void;
};

/** The terminal marks the beginning and the end of a paste, of which Node makes keys. */
const marksPastes = { on: '\u001b[?2004h', off: '\u001b[?2004l' };

/** `first` is in the line already, and `next` is the prompt of further lines of one paste. */
type Reading = { first?: string; next?: string };

/** Reads lines at a terminal. Those that are typed or pasted ahead are not shown before their prompt. */
export function createLineReader({ history, complete, onInterrupt, onHistory }: Options) {
  const { stdin, stdout } = process;
  const ahead: string[] = [];
  let isMuted = true;
  let isAnswer = false;
  let isClosed = false;
  let give: ((line: Line) => void) | null = null;
  /** A line that is given in the next turn, so that a Ctrl-C right behind its end still finds it here. */
  let due: Line | null = null;
  let isPasting = false;
  let pasted: string[] = [];
  let nextPrompt = '';
  const clearPrompt = () => {
    cursorTo(stdout, 0);
    clearScreenDown(stdout);
  };
  const settle = (line: Line) => {
    if (give) stdout.write(marksPastes.off);
    isMuted = true;
    isPasting = false;
    pasted = [];
    due = null;
    give?.(line);
    give = null;
  };
  const settleDue = () => {
    if (due) settle(due);
  };

  const reader = createInterface({
    input: stdin,
    output: screenOf(stdout, () => isMuted),
    terminal: true,
    history,
    historySize: historyLinesMax,
    removeHistoryDuplicates: true,
    completer: (line: string, done: (error: null, result: [string[], string]) => void) =>
      void complete(line).then(
        ({ texts, replaced }) => done(null, [texts, replaced]),
        () => done(null, [[], line]),
      ),
  });
  reader.on('line', (text) => {
    if (!give || due) return void ahead.push(text);
    pasted.push(text);
    if (!isPasting || isAnswer) {
      due = { text: pasted.join('\n') };
      isMuted = true;
      return void setImmediate(settleDue);
    }
    reader.setPrompt(nextPrompt);
    reader.prompt();
  });
  stdin.on('keypress', (_, key?: { name?: string }) => {
    if (key?.name === 'paste-start') isPasting = give !== null;
    if (key?.name !== 'paste-end' || !isPasting) return;
    isPasting = false;
    // The rest of a line waits for its end.
    if (pasted.length === 0 || reader.line !== '') return;
    clearPrompt();
    settle({ text: pasted.join('\n') });
  });
  reader.on('SIGINT', () => {
    if (give && !due) stdout.write('^C\n');
    settle({ text: null, isEnd: false });
    ahead.length = 0;
    // Ctrl-E and Ctrl-U empty the line, without a sign of it.
    for (const name of ['e', 'u']) reader.write(null, { ctrl: true, name });
    onInterrupt();
  });
  // Node stops reading at Ctrl-Z, and after it only if nothing listens here.
  reader.on('SIGCONT', () => reader.resume());
  reader.on('history', (lines) => {
    if (isAnswer) lines.shift();
    else if (lines[0] !== undefined) onHistory(lines[0]);
  });
  const end = () => {
    isClosed = true;
    settleDue();
    settle({ text: null, isEnd: true });
  };
  reader.once('close', end);
  // The terminal of a closed window cannot be read, or set to any mode.
  reader.on('error', end);

  const read = async (prompt: string, { first = '', next = '' }: Reading = {}): Promise<Line> => {
    const text = ahead.shift();
    if (text !== undefined) {
      stdout.write(`${prompt}${text}\n`);
      return { text };
    }
    if (isClosed) return { text: null, isEnd: true };
    isMuted = false;
    nextPrompt = next;
    stdout.write(marksPastes.on);
    reader.setPrompt(prompt);
    // Text without an end that was typed ahead stays in the line.
    reader.prompt(true);
    if (first && reader.line === '') reader.write(first);
    return await new Promise((resolve) => {
      give = resolve;
    });
  };

  return {
    /** The next line, or several that are pasted at once. */
    read,

    /** The answer to a question of code, which the history does not keep, and which is not shown if it is a password. */
    async answer(prompt: string, isPassword: boolean): Promise<string | null> {
      isAnswer = true;
      try {
        const answer = read(prompt);
        isMuted ||= isPassword;
        return (await answer).text;
      } finally {
        isAnswer = false;
        if (isPassword) stdout.write('\n');
      }
    },

    hasAhead: () => ahead.length > 0,

    /** Lets something write above the prompt, and then shows the prompt and its line again. */
    async above(show: () => Promise<void>): Promise<void> {
      const isShown = () => give !== null && !isMuted;
      if (isShown()) clearPrompt();
      await show();
      if (isShown()) reader.prompt(true);
    },

    close: () => reader.close(),
  };
}

/** The terminal as the editor of lines sees it. */
function screenOf(terminal: WriteStream, isMuted: () => boolean): Writable {
  const screen = new Writable({
    write(text, _, done) {
      if (!isMuted()) terminal.write(text);
      done();
    },
  });
  Object.defineProperties(screen, {
    columns: { get: () => terminal.columns },
    rows: { get: () => terminal.rows },
  });
  terminal.on('resize', () => screen.emit('resize'));
  return screen;
}

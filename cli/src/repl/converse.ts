import { HoldfastError, type InputRequest, type ParsedCode, type Session, type StepEvent } from '@holdfast/sdk';
import { describeFailure } from '../failures/describe-failure.ts';
import { note } from '../output/progress.ts';
import { eventDisplay } from '../output/show-event.ts';
import { styles } from '../output/style.ts';
import { printable } from '../output/table.ts';
import { onStop, type Stop } from '../run/stops.ts';
import { streamCode } from '../run/stream-code.ts';
import { createHistoryWriter, readHistory } from './history.ts';
import { createLineReader } from './line-reader.ts';
import { createOwnSteps, watchOthers } from './watch-others.ts';

export type Conversation = {
  session: Session;
  language?: string | undefined;
  /** Shows the steps of all others, too. */
  isWatching: boolean;
};

const help = `.language NAME   go on in another language, such as python, node or bash
.restart         give the interpreter of this language a new memory
.help            show this
.exit            leave, as Ctrl-D does
Tab completes. Ctrl-C interrupts code that runs, or drops what is typed.
`;

/** Reads code at a terminal and runs it, until the person leaves or the session ends. Resolves to the signal that ended it, if one did. */
export async function converse({ session, isWatching, ...given }: Conversation): Promise<Stop | null> {
  const { stdout } = process;
  const style = styles(stdout);
  const ownSteps = createOwnSteps();
  const show = lineDisplay();
  const over = new AbortController();
  let language = given.language ?? session.record.language;
  let lines: string[] = [];
  let isRunning = false;
  /** Ends the calls that wait for the server, which may be gone for long. */
  let calls = new AbortController();
  let stop: Stop | null = null;

  const reader = createLineReader({
    history: await readHistory(),
    async complete(line) {
      if (line.trim() === '') return { texts: [`${line}    `], replaced: line };
      const code = [...lines, line].join('\n');
      const { matches, start } = await session.contexts.complete(language, code, code.length);
      const texts = matches.map(({ text }) => text).filter((text) => text === printable(text));
      return { texts, replaced: code.slice(start) };
    },
    onInterrupt() {
      if (isRunning) return void process.kill(process.pid, 'SIGINT');
      calls.abort();
      calls = new AbortController();
    },
    onHistory: createHistoryWriter(),
  });

  // A window that is closed, for one. Ctrl-C is a key.
  using _stops = onStop((heard) => {
    if (heard === 'SIGINT') return;
    stop = heard;
    calls.abort();
    reader.close();
  });

  /** Starts the default context of a language, so that it can complete and parse code. */
  const begin = async (name: string): Promise<void> => {
    const { signal } = calls;
    const contexts = await session.contexts.list({ signal });
    if (contexts.some(({ id }) => id === name)) return;
    const own = ownSteps.begin();
    try {
      own.as((await session.run(' ', { language: name, record: 'silent', actor: 'user', signal })).id);
    } finally {
      own.over();
    }
  };

  /** A parser that has just been started may not know it in time. */
  const parse = async (code: string, signal: AbortSignal): Promise<ParsedCode> => {
    for (let tries = 0; ; tries++) {
      const parsed = await session.contexts.parse(language, code, { signal });
      if (parsed.status !== 'unknown' || tries === 2) return parsed;
    }
  };

  /** Resolves to whether the conversation goes on. */
  const command = async (line: string): Promise<boolean> => {
    const [, name, argument] = /^\.(\w+)\s*(.*)$/.exec(line.trim()) ?? [];
    if (name === 'exit') return false;
    if (name === 'help') stdout.write(help);
    if (name === 'restart') await session.contexts.restart(language, { signal: calls.signal });
    if (name === 'language') {
      const chosen = argument || session.record.language;
      await begin(chosen);
      language = chosen;
    }
    return true;
  };

  const run = async (code: string): Promise<void> => {
    const begin = ownSteps.begin();
    const input = ({ prompt, password }: InputRequest) => reader.answer(prompt, password);
    isRunning = true;
    try {
      const ran = await streamCode({
        session,
        code,
        options: { language, actor: 'user', input },
        async show(event) {
          begin.as(event.stepId);
          await show.event(event);
        },
      });
      if ('left' in ran) note('the step goes on');
    } finally {
      begin.over();
      isRunning = false;
      show.startLine();
    }
  };

  const above = (display: () => Promise<void>) =>
    reader.above(async () => {
      await display();
      show.startLine();
    });
  if (given.language) await begin(given.language);
  let failure: unknown = null;
  if (isWatching) {
    watchOthers(session, { signal: over.signal, ownSteps, above, display: show.event })
      .then(() => note('the session has ended'))
      .catch((error) => {
        if (!over.signal.aborted) failure = error;
      })
      .finally(() => reader.close());
  }
  try {
    let indent = '';
    for (;;) {
      const prompt = lines.length === 0 ? `${language}> ` : `${'.'.repeat(language.length)}> `;
      const next = style('cyan', `${'.'.repeat(language.length)}> `);
      const line = await reader.read(style('cyan', prompt), { first: reader.hasAhead() ? '' : indent, next });
      indent = '';
      if (failure) throw failure;
      if (line.text === null && line.isEnd) return stop;
      if (line.text === null) lines = [];
      else if (lines.length === 0 && commands.test(line.text)) {
        if (!(await survived(command(line.text)))) return stop;
      } else {
        lines.push(...line.text.split('\n').map((text) => (text.trim() === '' ? '' : text)));
        const code = lines.join('\n');
        const { signal } = calls;
        const parsed = await parse(code, signal).catch(() => null);
        if (signal.aborted || code.trim() === '') lines = [];
        else if (parsed?.status === 'incomplete') indent = /^[ \t]*/.exec(parsed.indent)?.[0] ?? '';
        else {
          lines = [];
          await survived(run(code));
        }
      }
    }
  } finally {
    over.abort();
    reader.close();
  }
}

/** Tells a refusal, or nothing of a call that Ctrl-C has ended, after which the conversation goes on. */
async function survived<Value>(work: Promise<Value>): Promise<Value | true> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return true;
    if (!(error instanceof HoldfastError) || error.code === 'session-ended') throw error;
    note(describeFailure(error).line ?? '');
    return true;
  }
}

const commands = /^\s*\.(?:exit|help|restart|language(?:\s+\S+)?)\s*$/;

/** Shows events, and knows whether the cursor is at the beginning of a line. */
function lineDisplay() {
  const display = eventDisplay();
  let isAtStart = true;
  return {
    async event(event: StepEvent): Promise<void> {
      await display(event);
      if (event.type === 'stdout' || event.type === 'stderr') isAtStart = event.text.endsWith('\n');
      else if (event.type === 'result' || event.type === 'error') isAtStart = true;
    },
    startLine(): void {
      if (!isAtStart) process.stdout.write('\n');
      isAtStart = true;
    },
  };
}

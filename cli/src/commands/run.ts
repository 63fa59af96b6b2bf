import type { Holdfast, Session } from '@holdfast/sdk';
import type { Command } from 'commander';
import { connect } from '../connection/connect.ts';
import { findSession, isSessionId } from '../connection/find-session.ts';
import { Failure } from '../failures/failure.ts';
import { printer } from '../output/printer.ts';
import { note, withProgress } from '../output/progress.ts';
import { eventDisplay } from '../output/show-event.ts';
import { exitCodeOf } from '../run/exit-code.ts';
import { readCode } from '../run/read-code.ts';
import { stopExitCodes } from '../run/stops.ts';
import { streamCode } from '../run/stream-code.ts';
import { seconds } from './option-values.ts';

type RunCommandOptions = { code?: string; language?: string; session?: string; keep?: boolean; timeout?: number };

export function addRun(program: Command): void {
  program
    .command('run')
    .description('run code and show its output as it comes; the exit code is that of the code')
    .argument('[file]', 'the file with the code, or - for stdin')
    .option('-c, --code <code>', 'the code itself')
    .option(
      '-l, --language <name>',
      'such as python, node or bash; default: what the name of the file says, or the session',
    )
    .option('-s, --session <session>', 'an id, or a client key: a session with it is found, or made and kept')
    .option('--keep', 'leave the new session alive, and tell its id')
    .option('--timeout <seconds>', 'interrupt the code after this time', seconds)
    .addHelpText('after', examples)
    .action(async (file: string | undefined, options: RunCommandOptions, command: Command) => {
      process.exitCode = await run(file, options, command);
    });
}

const examples = `
Examples:
  $ holdfast run -c '6 * 7'
  $ holdfast run analysis.py --timeout 60
  $ echo 'ls; exit 3' | holdfast run --language bash -
  $ holdfast run --session notebook-7 -c 'x = 41'      # state stays from run to run
  $ holdfast run --session notebook-7 -c 'x + 1'

Code that fails gives 1, or the code that it exits with. Ctrl-C interrupts the code, which gives 130; a timeout gives 124.`;

async function run(file: string | undefined, options: RunCommandOptions, command: Command): Promise<number> {
  const { code, language } = await readCode({ ...options, file });
  const holdfast = await connect(command);
  const { session, isOwn } = await withProgress('Starting a session', sessionOf(holdfast, options, language));
  if (options.keep && isOwn) note(`session ${session.id}`);
  const { format, value } = printer(command);
  const isLive = format === 'table' || format === 'name';
  const display = eventDisplay();
  try {
    const streamed = await streamCode({
      session,
      code,
      options: { language, timeoutSeconds: options.timeout, actor: 'user' },
      show: async (event) => {
        if (isLive) await display(event);
      },
    });
    if ('left' in streamed) return stopExitCodes[streamed.left];
    if (!isLive) await value(streamed.step);
    else if (streamed.step.error === null && streamed.step.cause)
      note(`${streamed.step.status}: ${streamed.step.cause.message}`);
    return exitCodeOf(streamed.step);
  } finally {
    if (isOwn && !options.keep) await session.complete().catch(() => {});
  }
}

/** A session that the run makes for itself alone soon ends on its own, if the run cannot end it. */
const ownIdleSeconds = 300;

async function sessionOf(
  holdfast: Holdfast,
  { session: name, keep }: RunCommandOptions,
  language: string | undefined,
): Promise<{ session: Session; isOwn: boolean }> {
  if (name !== undefined) {
    if (keep) throw new Failure('--keep is for a new session; one that --session names stays anyway', { exitCode: 2 });
    if (isSessionId(name)) return { session: await findSession(holdfast, name), isOwn: false };
    return { session: await holdfast.sessions.create({ clientKey: name, language }), isOwn: false };
  }
  const idle = keep ? {} : { idleTimeoutSeconds: ownIdleSeconds };
  return { session: await holdfast.sessions.create({ language, ...idle }), isOwn: true };
}

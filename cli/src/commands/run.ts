import type { Command } from 'commander';
import { connect } from '../connection/connect.ts';
import { printer } from '../output/printer.ts';
import { note } from '../output/progress.ts';
import { eventDisplay } from '../output/show-event.ts';
import { exitCodeOf } from '../run/exit-code.ts';
import { readCode } from '../run/read-code.ts';
import { stopExitCodes } from '../run/stops.ts';
import { streamCode } from '../run/stream-code.ts';
import { type JoinOptions, joinSession, leaveSession } from './join-session.ts';
import { seconds } from './option-values.ts';

type RunCommandOptions = JoinOptions & { code?: string; timeout?: number };

/** A session of its own only lives for this one step. */
const ownIdleSeconds = 300;

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
  const joined = await joinSession(await connect(command), { ...options, language }, ownIdleSeconds);
  const { session } = joined;
  if (options.keep) note(`session ${session.id}`);
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
    else if (streamed.step.status === 'timed_out') note('the time is over');
    else if (streamed.step.error === null && streamed.step.cause)
      note(`${streamed.step.status}: ${streamed.step.cause.message}`);
    return exitCodeOf(streamed.step);
  } finally {
    if (!options.keep) await leaveSession(joined);
  }
}

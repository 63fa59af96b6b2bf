import type { Command } from 'commander';
import { connect } from '../connection/connect.ts';
import { findSession } from '../connection/find-session.ts';
import { Failure } from '../failures/failure.ts';
import { eventDisplay } from '../output/show-event.ts';
import { type Conversation, converse } from '../repl/converse.ts';
import { watchOthers } from '../repl/watch-others.ts';
import { stopExitCodes } from '../run/stops.ts';
import { type JoinOptions, joinSession, leaveSession } from './join-session.ts';

/** A person may think for long between two lines. */
const ownIdleSeconds = 3600;

export function addRepl(program: Command): void {
  program
    .command('repl')
    .description('run code line by line, with history, completion and live output')
    .option('-l, --language <name>', 'the language to begin with')
    .option('-s, --session <session>', 'an id, or a client key: a session with it is found, or made and kept')
    .option('--keep', 'leave the new session alive, and tell its id')
    .addHelpText('after', replExamples)
    .action(async (options: JoinOptions, command: Command) => {
      needTerminal('`holdfast run -` runs code from a pipe');
      const joined = await joinSession(await connect(command), options, ownIdleSeconds);
      try {
        await talk({ session: joined.session, language: options.language, isWatching: false });
      } finally {
        await leaveSession(joined, options.keep);
      }
    });
  program
    .command('attach')
    .description('watch a live session: the steps of everyone while they run; at a terminal, run some of your own')
    .argument('<session>', 'its id or client key')
    .option('-l, --language <name>', 'the language to begin with')
    .addHelpText('after', attachExamples)
    .action(async (name: string, { language }: { language?: string }, command: Command) => {
      const session = await findSession(await connect(command), name);
      if (process.stdin.isTTY && process.stdout.isTTY) return await talk({ session, language, isWatching: true });
      await watchOthers(session, {
        signal: new AbortController().signal,
        ownSteps: { has: async () => false, forget: () => {} },
        above: (show) => show(),
        display: eventDisplay(),
      });
    });
}

async function talk(conversation: Conversation): Promise<void> {
  const stop = await converse(conversation);
  if (stop) process.exitCode = stopExitCodes[stop];
}

const replExamples = `
Examples:
  $ holdfast repl
  $ holdfast repl --session notebook-7 --language node

.help lists what is not code, such as .language bash; Ctrl-D leaves.`;

const attachExamples = `
Examples:
  $ holdfast attach notebook-7
  $ holdfast attach notebook-7 < /dev/null | tee steps.txt     # only watches`;

function needTerminal(advice: string): void {
  if (process.stdin.isTTY && process.stdout.isTTY) return;
  throw new Failure(`this needs a terminal; ${advice}`, { exitCode: 2 });
}

import type { Command } from 'commander';
import { WebSocket } from 'ws';
import { connect } from '../connection/connect.ts';
import { readEnvironment } from '../environment.ts';
import { Failure } from '../failures/failure.ts';
import { note } from '../output/progress.ts';
import { exitCodeOfProcess } from '../run/exit-code.ts';
import { stopExitCodes } from '../run/stops.ts';
import { useTerminal } from '../shell/use-terminal.ts';
import { type JoinOptions, joinSession, leaveSession } from './join-session.ts';
import { keyByte } from './option-values.ts';

type ShellOptions = JoinOptions & { process?: string; detachKey: number };

/** Counted from the moment in which a person detaches. */
const ownIdleSeconds = 3600;

export function addShell(program: Command): void {
  program
    .command('shell')
    .description('a terminal in the sandbox; the exit code is that of the shell')
    .argument('[command...]', 'the program with its arguments; default: bash')
    .option('-s, --session <session>', 'an id, or a client key: a session with it is found, or made and kept')
    .option('--process <id>', 'go back to a process from which you detached')
    .option('--keep', 'leave the new session alive, and tell its id')
    .option('--detach-key <key>', 'leaves, and the process goes on; a letter or ], with Ctrl', keyByte, keyByte(']'))
    .addHelpText('after', examples)
    .action(async (words: string[], options: ShellOptions, command: Command) => {
      process.exitCode = await shell(words, options, command);
    });
}

const examples = `
Examples:
  $ holdfast shell
  $ holdfast shell --session notebook-7 -- htop -d 10
  $ holdfast shell --session notebook-7 --process prc_…     # after Ctrl-]

A new session ends with the shell, also if the window is closed; an hour after Ctrl-], or if the operator says so before. With --session or --keep,
the shell goes on if the window is closed.`;

async function shell(words: string[], options: ShellOptions, command: Command): Promise<number> {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) {
    throw new Failure('this needs a terminal; `holdfast run --language bash -` runs a script', { exitCode: 2 });
  }
  if (options.process && (!options.session || words.length > 0)) {
    throw new Failure('--process needs --session, and takes no command', { exitCode: 2 });
  }
  const holdfast = await connect(command, { webSocket: WebSocket });
  const joined = await joinSession(holdfast, options, ownIdleSeconds);
  const { session, isOwn } = joined;
  let isKept = options.keep || !isOwn;
  try {
    const size = { columns: stdout.columns, rows: stdout.rows };
    const started = options.process
      ? (await session.processes.get(options.process)).channel()
      : await session.terminal({
          ...size,
          ...(words.length > 0 && { command: words }),
          env: { TERM: readEnvironment().terminal.name || 'xterm' },
        });
    const left = await useTerminal(started, options.detachKey);
    if (left === null) return exitCodeOfProcess(started.process.record);
    isKept ||= left === 'key';
    if (isKept) note(`\nto go back: holdfast shell --session ${session.id} --process ${started.process.id}`);
    return left === 'key' ? 0 : stopExitCodes[left];
  } finally {
    await leaveSession(joined, isKept);
  }
}

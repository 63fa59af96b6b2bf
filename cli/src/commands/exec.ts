import { setTimeout as pause } from 'node:timers/promises';
import { HoldfastError, type Process, type StartOptions } from '@holdfast/sdk';
import type { Command } from 'commander';
import { connect } from '../connection/connect.ts';
import { findSession } from '../connection/find-session.ts';
import { describeFailure } from '../failures/describe-failure.ts';
import { Failure } from '../failures/failure.ts';
import { note } from '../output/progress.ts';
import { write } from '../output/write.ts';
import { exitCodeOfProcess } from '../run/exit-code.ts';
import { leavesAtOnce, onStop, stopExitCodes } from '../run/stops.ts';
import { pairs, seconds } from './option-values.ts';

type ExecOptions = { cwd?: string; env?: Record<string, string>; timeout?: number; stdin?: boolean; detach?: boolean };

export function addExec(program: Command): void {
  program
    .command('exec')
    .description('run a command beside the interpreters of a session; the exit code is that of the command')
    .argument('<session>', 'its id or client key')
    .argument('<command...>', 'a program with its arguments; a single argument is read by the shell')
    .option('-i, --stdin', 'pass stdin on')
    .option('-d, --detach', 'do not wait for the end, and write the id of the process')
    .option('--cwd <path>', 'the folder in which it starts')
    .option('--env <name=value>', 'a variable of it; may be repeated', pairs)
    .option('--timeout <seconds>', 'kill it after this time', seconds)
    .addHelpText('after', examples)
    .action(async (name: string, words: string[], options: ExecOptions, command: Command) => {
      process.exitCode = await exec(name, words, options, command);
    });
}

const examples = `
Examples:
  $ holdfast exec notebook-7 -- ls -l
  $ holdfast exec notebook-7 -- 'ls | wc -l'
  $ tar c src | holdfast exec notebook-7 --stdin -- tar x
  $ holdfast exec notebook-7 --detach -- npm run dev`;

async function exec(name: string, words: string[], options: ExecOptions, command: Command): Promise<number> {
  const session = await findSession(await connect(command), name);
  const { stdin = false, detach, timeout: timeoutSeconds, cwd, env } = options;
  const start: StartOptions = { cwd, env, timeoutSeconds, stdin, actor: 'user' };
  const [first = '', ...more] = words;
  const started = await session.processes.start(more.length === 0 ? first : words, start);
  if (detach) {
    await write(process.stdout, `${started.id}\n`);
    return 0;
  }
  return await follow(started, stdin);
}

/** Shows the output until the end. Signals are passed on, so Ctrl-C does to the command what it does here. */
async function follow(started: Process, hasInput: boolean): Promise<number> {
  const leave = new AbortController();
  const { signal } = leave;
  let exitCode = 1;
  using _stops = onStop((stop, times) => {
    exitCode = stopExitCodes[stop];
    started.signal(stop === 'EPIPE' ? 'SIGHUP' : stop, { signal }).catch(() => {});
    if (leavesAtOnce(stop, times)) setTimeout(() => leave.abort(), 500).unref();
  });
  let lost: unknown = null;
  if (hasInput) {
    sendInput(started, signal).catch(async (error) => {
      process.stdin.destroy();
      if (signal.aborted || isUnneeded(error)) return;
      lost = error;
      await hangUp(started);
      leave.abort();
    });
  }
  let isWhole = false;
  try {
    for await (const event of started.events({ signal })) {
      if (event.type === 'stdout' || event.type === 'stderr') {
        await write(
          process[event.type],
          event.base64 === undefined ? (event.text ?? '') : Buffer.from(event.base64, 'base64'),
        );
      } else if (event.type === 'truncated') note(`${event.bytes} bytes of output are left out`);
    }
    isWhole = true;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    process.stdin.destroy();
  }
  if (lost) throw new Failure(`some of the input was lost, so the command was hung up: ${describeFailure(lost).line}`);
  return isWhole ? exitCodeOfProcess(started.record) : exitCode;
}

async function sendInput(started: Process, signal: AbortSignal): Promise<void> {
  for await (const bytes of process.stdin) await started.write(bytes, { signal });
  await started.end({ signal });
}

/** A process that has ended, or has closed its input, needs no more of it. */
const isUnneeded = (error: unknown) =>
  error instanceof HoldfastError && (error.code === 'stdin-closed' || error.code === 'process-ended');

const hangUpTries = 20;

/** Input may be lost because the server restarts, which it has done a few seconds later. */
async function hangUp(started: Process): Promise<void> {
  for (let tries = 1; tries <= hangUpTries; tries++) {
    try {
      return await started.signal('SIGHUP');
    } catch (error) {
      if (isUnneeded(error)) return;
      await pause(500);
    }
  }
}

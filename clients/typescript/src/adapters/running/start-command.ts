import type { CallOptions } from '../../http/create-api.ts';
import type { Process } from '../../processes/process.ts';
import type { StartOptions } from '../../processes/processes.ts';
import type { Session } from '../../sessions/session.ts';

/** Starts a command that an abort kills. The abort also ends the wait for a server that does not answer. */
export async function startCommand(
  session: Session,
  command: string | string[],
  { signal, ...options }: StartOptions,
): Promise<Process> {
  signal?.throwIfAborted();
  const starting = session.processes.start(command, options);
  if (!signal) return await starting;
  const kill = () => void starting.then((process) => process[Symbol.asyncDispose]()).catch(() => {});
  signal.addEventListener('abort', kill, { once: true });
  const process = await untilAbort(starting, signal);
  running.set(process, () => signal.removeEventListener('abort', kill));
  return process;
}

/** Removes the listener of a process whose end was seen: a long-lived signal would keep it. */
const running = new WeakMap<Process, () => void>();

/** Waits for the end of a command, and takes a lost one for a failure, since it has no exit code. */
export async function endOf(process: Process, { signal }: CallOptions = {}): Promise<CommandEnd> {
  const record = await process.wait(signal ? { signal } : {});
  running.get(process)?.();
  if (record.status === 'lost') {
    throw new Error(`the process was lost: ${record.cause?.message ?? record.cause?.code ?? 'its sandbox has ended'}`);
  }
  return { exitCode: exitCodeOf(record), isTimedOut: record.status === 'timed_out' };
}

/** `exitCode`: that of a shell, so 128 and the number of the signal that ended the command, and 124 after its time. */
export type CommandEnd = { exitCode: number; isTimedOut: boolean };

function exitCodeOf({ status, exitCode, signal }: Process['record']): number {
  if (status === 'timed_out') return 124;
  return exitCode ?? 128 + (signalNumbers[signal ?? ''] ?? 0);
}

/** Those of Linux that end a process by default and that programs and people send. */
const signalNumbers: Record<string, number> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
};

function untilAbort<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

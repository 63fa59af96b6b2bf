import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants as flags, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeWaitStatus } from '../../kernel-process/end/decode-wait-status.ts';
import { isTraced, readProcess } from '../../kernel-process/end/list-processes.ts';
import type { KernelConfig } from '../../kernel-process/kernel-config.ts';
import { languagePrograms } from '../../kernel-process/language-programs.ts';
import { limitsText } from '../../kernel-process/limits/limits-text.ts';
import { barePython } from '../../kernel-process/start/kernel-command.ts';
import { kernelEnvironment } from '../../kernel-process/start/kernel-environment.ts';
import { createHostReader, type HostAnswer, type HostMessage, type HostQuestion } from './host-messages.ts';
import {
  NotStartedError,
  type Program,
  type ProgramEnd,
  type StartedProgram,
  type StreamEnds,
} from './process-starter.ts';

const answerMsMax = 20_000;
const checkMs = 500;
/** How long code can hold up the others by stopping their parent. */
const wakeMs = 250;
/** So many times in a row the parent may be found stopped by a debugger. One that only looks lets it go on at once. */
const tracedMax = 4;
const unknownEnd: ProgramEnd = { exitCode: null, signal: null, usage: null };

/** The process below which all others run. */
export type ProcessHost = {
  /** Whether it can start processes. */
  readonly isAlive: boolean;
  /** @throws NotStartedError with the system's error, or EIO if the host is gone or silent */
  start(program: Program): Promise<StartedProgram>;
  /** Kills all processes below it. Never rejects. */
  endAll(): Promise<void>;
};

/**
 * `onUnwatched` gets the marker of a program whose watcher was killed: what the program started has no limits any more.
 * @throws Error if the interpreter cannot be started
 */
export function startProcessHost(
  config: KernelConfig,
  { onUnwatched }: { onUnwatched(marker: string): void },
): ProcessHost {
  const marker = randomBytes(16).toString('hex');
  const child = spawn(config.python, [...barePython, languagePrograms.processes], {
    cwd: '/',
    env: kernelEnvironment(config, { env: {} }, marker),
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  child.on('error', () => {});
  const { pid: hostPid } = child;
  if (hostPid === undefined) throw new NotStartedError('EIO');
  const startedAt = readProcess(hostPid)?.startedAt ?? 0;
  const control = child.stdio[3] as Socket;
  const questions = new Map<number, PromiseWithResolvers<HostAnswer>>();
  const ends = new Map<number, PromiseWithResolvers<ProgramEnd> & { startedAt: number | undefined }>();
  let waking: NodeJS.Timeout | undefined;
  let traced = 0;
  let lastId = 0;
  let isAlive = true;

  const receive = (message: HostMessage) => {
    if (message.type === 'answer') {
      // The end of the process may be the next message.
      if (message.pid !== undefined) {
        const startedAt = readProcess(message.pid)?.startedAt;
        ends.set(message.pid, { ...Promise.withResolvers<ProgramEnd>(), startedAt });
      }
      questions.get(message.id)?.resolve(message);
    } else if (message.type === 'unwatched') onUnwatched(`HOLDFAST_KERNEL=${message.marker}`);
    else {
      const usage = { cpuSeconds: message.cpuSeconds, memoryBytesMax: message.memoryKb * 1024 };
      ends.get(message.pid)?.resolve({ ...decodeWaitStatus(message.status), usage, exceeded: message.exceeded });
    }
  };
  const kill = () => void child.kill('SIGKILL');
  const read = createHostReader(receive);
  control.on('error', () => {});
  control.on('data', (chunk) => {
    try {
      read(chunk);
    } catch {
      kill();
    }
  });
  // A debugger keeps the agent from hearing of the exit, but not of the end of the channel.
  const onGone = () => {
    if (!isAlive) return;
    isAlive = false;
    kill();
    clearInterval(waking);
    control.destroy();
    for (const question of questions.values()) question.reject(new NotStartedError('EIO'));
    for (const [pid, { startedAt, resolve }] of ends) void untilGone(pid, startedAt).then(() => resolve(unknownEnd));
  };
  child.once('exit', onGone);
  control.once('close', onGone);

  /** Code can stop the host, which then neither starts a process nor tells of an end. One that a debugger holds is replaced. */
  const wake = () => {
    traced = isTraced(hostPid) ? traced + 1 : 0;
    if (traced > tracedMax) return kill();
    if (questions.size + ends.size > 0) return void child.kill('SIGCONT');
    clearInterval(waking);
    waking = undefined;
  };
  const say = (message: object) => control.write(`${JSON.stringify(message)}\n`);

  async function ask(question: HostQuestion): Promise<HostAnswer> {
    const id = ++lastId;
    const answered = Promise.withResolvers<HostAnswer>();
    questions.set(id, answered);
    const timer = setTimeout(kill, answerMsMax);
    waking ??= setInterval(wake, wakeMs).unref();
    if (isAlive) say({ ...question, id });
    else answered.reject(new NotStartedError('EIO'));
    try {
      const answer = await answered.promise;
      if (answer.error !== undefined) throw new NotStartedError(answer.error);
      return answer;
    } finally {
      clearTimeout(timer);
      questions.delete(id);
    }
  }

  function follow(pid: number): Omit<StartedProgram, 'ends'> {
    const { startedAt, promise } = ends.get(pid) ?? { startedAt: undefined, promise: Promise.resolve(unknownEnd) };
    return {
      pid,
      ended: promise.finally(() => ends.delete(pid)),
      signal(name) {
        if (isAlive) say({ type: 'signal', pid, signal: constants.signals[name] });
        else if (readProcess(pid)?.startedAt === startedAt) signalGroup(pid, name);
      },
    };
  }

  return {
    get isAlive() {
      return isAlive;
    },
    async endAll() {
      if (!isAlive) return;
      const tree = { pid: hostPid, startedAt, marker: `HOLDFAST_KERNEL=${marker}` };
      await ask({ type: 'end' }).catch(() => config.sweep(tree));
    },
    async start({ limits, ...program }) {
      const limited = limits && { limits: limitsText(limits) };
      const { pid, ends: theirs = {} } = await ask({ type: 'start', ...program, ...limited });
      if (pid === undefined) throw new NotStartedError('EIO');
      const followed = follow(pid);
      try {
        return { ...followed, ends: openEnds(hostPid, theirs) };
      } catch {
        followed.signal('SIGKILL');
        throw new NotStartedError('EIO');
      } finally {
        say({ type: 'opened', ends: Object.values(theirs) });
      }
    },
  };
}

/**
 * Opens the host's descriptors of pipes as the agent's own. Node's own pipes are sockets, on which `/dev/stdout` cannot be opened, and a FIFO cannot
 * be opened as `/dev/stdin` once its writer is gone.
 */
function openEnds(host: number, theirs: StreamEnds): StreamEnds {
  const opened: StreamEnds = {};
  try {
    for (const name of ['input', 'output', 'errors'] as const) {
      if (theirs[name] === undefined) continue;
      const mode = name === 'input' ? flags.O_WRONLY : flags.O_RDONLY;
      opened[name] = openSync(`/proc/${host}/fd/${theirs[name]}`, mode | flags.O_NONBLOCK);
    }
    return opened;
  } catch (error) {
    for (const descriptor of Object.values(opened)) closeSync(descriptor);
    throw error;
  }
}

/** Without its parent, a process can only be looked at. */
async function untilGone(pid: number, startedAt: number | undefined): Promise<void> {
  while (startedAt !== undefined && readProcess(pid)?.startedAt === startedAt)
    await sleep(checkMs, undefined, { ref: false });
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch {
    // It has just ended.
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { readProcess } from '../kernel-process/end/list-processes.ts';
import type { FifoReader } from '../kernel-process/fifo-reader.ts';
import type { ProcessTree } from '../kernel-process/kernel-process.ts';
import { createNamedFifos } from '../kernel-process/output/fifos.ts';
import { kernelEnvironment } from '../kernel-process/start/kernel-environment.ts';
import type { JobCommand, JobConfig } from './job-command.ts';
import { openJobInput } from './job-input.ts';
import { createSupervisorReader, type ProgramEnd } from './supervisor-report.ts';

/** How long code can keep its supervisor from measuring it and from telling of its end. */
const wakeMs = 250;

export type JobProgram = {
  command: JobCommand;
  env: Record<string, string>;
  stdin: string;
  /** The descriptor of the file to which its supervisor records paths. */
  record?: number | undefined;
};

/** The started process of a job. */
export type SpawnedJob = {
  tree: ProcessTree;
  stdout: FifoReader;
  stderr: FifoReader;
  /** Resolves once a signal to the group reaches the program. */
  begun: Promise<unknown>;
  /** Resolves when the program has ended; processes that it started may still live. Never rejects. */
  ended: Promise<ProgramEnd>;
  /** Lets its supervisor go on if code has stopped it, until `cancel` is called or the supervisor has ended. */
  wakes: { cancel(): void };
};

/** Starts a program in its own process group and environment. @throws Error if it cannot be started */
export async function spawnJob(config: JobConfig, { command, env, stdin, record }: JobProgram): Promise<SpawnedJob> {
  const { file, args, isSupervised } = command;
  const marker = randomBytes(16).toString('hex');
  const fifos = await createNamedFifos(config.agentTmp);
  const writers: number[] = [];
  try {
    using input = openJobInput(config.agentTmp, stdin);
    for (const name of ['1', '2']) writers.push(openSync(join(fifos.folder, name), constants.O_WRONLY));
    const child = spawn(file, args, {
      cwd: config.workspace,
      env: kernelEnvironment(config, { env }, marker),
      detached: true,
      stdio: [
        input.descriptor,
        ...writers,
        isSupervised ? 'pipe' : 'ignore',
        ...(record === undefined ? [] : [record]),
      ],
    });
    const failed = new Promise<Error>((resolve) => child.on('error', resolve));
    if (child.pid === undefined) throw await failed;
    const tree = {
      pid: child.pid,
      startedAt: readProcess(child.pid)?.startedAt ?? 0,
      marker: `HOLDFAST_KERNEL=${marker}`,
    };
    return { tree, stdout: fifos.stdout, stderr: fifos.stderr, ...follow(child) };
  } catch (error) {
    for (const reader of [fifos.stdout, fifos.stderr]) reader.destroy();
    throw error;
  } finally {
    for (const writer of writers) closeSync(writer);
    fifos.release();
  }
}

function follow(child: ChildProcess): Pick<SpawnedJob, 'begun' | 'ended' | 'wakes'> {
  const exited = once(child, 'exit').then(([exitCode, signal]): ProgramEnd => ({ exitCode, signal }));
  const report = child.stdio[3] as Socket | null;
  // Without a supervisor the child is the program itself, which may stop itself.
  if (!report) return { begun: Promise.resolve(), ended: exited, wakes: { cancel() {} } };
  const waking = setInterval(() => void child.kill('SIGCONT'), wakeMs).unref();
  const wakes = { cancel: () => clearInterval(waking) };
  void exited.then(wakes.cancel);
  const begun = Promise.withResolvers<void>();
  const reported = Promise.withResolvers<ProgramEnd>();
  report.on('error', () => {});
  report.on('data', createSupervisorReader({ begun: begun.resolve, ended: reported.resolve }));
  const closed = once(report, 'close');
  // When the supervisor has died, its last report may still be in the socket.
  const ended = Promise.race([reported.promise, Promise.all([exited, closed]).then(([end]) => end)]);
  return { begun: Promise.race([begun.promise, ended]), ended, wakes };
}

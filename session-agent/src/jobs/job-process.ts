import type { StepSink } from '../kernel-process/kernel.ts';
import type { JobConfig } from './job-command.ts';
import { readJobOutput } from './job-output.ts';
import { type JobProgram, type SpawnedJob, spawnJob } from './spawn-job.ts';
import type { ProgramEnd } from './supervisor-report.ts';

const drainMsMax = 500;

/** The process of one job. It can be stopped before it exists. */
export class JobProcess {
  #config: JobConfig;
  #spawned: SpawnedJob | null = null;
  /** Whether it was asked to end: then it does not begin. */
  #isStopped = false;

  constructor(config: JobConfig) {
    this.#config = config;
  }

  /**
   * Runs the program until none of its processes is left: processes that it started end with it. `isWhole` says whether all of the output
   * was read. Never rejects.
   */
  async run(program: JobProgram, sink: Pick<StepSink, 'output'>): Promise<ProgramEnd & { isWhole: boolean }> {
    const none = { exitCode: null, signal: null, isWhole: true };
    if (this.#isStopped) return none;
    try {
      const spawned = await spawnJob(this.#config, program);
      this.#spawned = spawned;
      const output = readJobOutput(spawned, sink);
      if (this.#isStopped) await this.kill();
      const end = await spawned.ended;
      await this.kill();
      return { ...end, isWhole: await output.end(drainMsMax) };
    } catch (error) {
      return { ...none, fault: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Sends a signal to the whole group, once the program itself runs and not just the process that will become it. */
  signal(name: NodeJS.Signals): void {
    this.#isStopped = true;
    void this.#spawned?.begun.then(() => signalGroup(this.#spawned?.tree.pid, name));
  }

  /** Sends SIGKILL to the whole tree. */
  async kill(): Promise<void> {
    this.#isStopped = true;
    // The sweep stops the supervisor on purpose.
    this.#spawned?.wakes.cancel();
    if (this.#spawned) await this.#config.sweep(this.#spawned.tree);
  }
}

function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // It has just ended.
  }
}

import { sweepTree } from '../kernel-process/end/sweep-tree.ts';
import type { StepSink } from '../kernel-process/kernel.ts';
import type { JobConfig } from './job-config.ts';
import { readJobOutput } from './job-output.ts';
import { type JobProgram, type SpawnedJob, spawnJob } from './spawn-job.ts';
import type { ProgramEnd } from './supervisor-report.ts';

const drainMsMax = 500;

/** The process of one job, which can be stopped before it is there. */
export class JobProcess {
  #config: JobConfig;
  #spawned: SpawnedJob | null = null;
  /** Whether somebody wants it to end: it is not to begin any more. */
  #isUnwanted = false;

  constructor(config: JobConfig) {
    this.#config = config;
  }

  /**
   * Runs the program until nothing of it is left: what it has started ends with it. `isWhole` says whether all of its output was
   * read. Never rejects.
   */
  async run(program: JobProgram, sink: Pick<StepSink, 'output'>): Promise<ProgramEnd & { isWhole: boolean }> {
    const none = { exitCode: null, signal: null, isWhole: true };
    if (this.#isUnwanted) return none;
    try {
      const spawned = await spawnJob(this.#config, program);
      this.#spawned = spawned;
      const output = readJobOutput(spawned, sink);
      if (this.#isUnwanted) await this.kill();
      const end = await spawned.ended;
      await sweepTree(spawned.tree);
      return { ...end, isWhole: await output.end(drainMsMax) };
    } catch (error) {
      return { ...none, fault: error instanceof Error ? error.message : String(error) };
    }
  }

  /** To the whole group, once the signal reaches the program and not what becomes it. */
  signal(name: NodeJS.Signals): void {
    this.#isUnwanted = true;
    void this.#spawned?.begun.then(() => signalGroup(this.#spawned?.tree.pid, name));
  }

  /** SIGKILL to the whole tree. */
  async kill(): Promise<void> {
    this.#isUnwanted = true;
    if (this.#spawned) await sweepTree(this.#spawned.tree);
  }
}

function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // It has just ended.
  }
}

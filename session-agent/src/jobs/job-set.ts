import type { AgentJob } from '@holdfast/specs/agent';
import { type Cause, Problem } from '@holdfast/specs/public';
import type { Workspace } from '../files/paths/open-workspace.ts';
import { resolvePath } from '../files/paths/resolve-path.ts';
import { openPathRecord } from '../files/scan/path-record.ts';
import type { StepLog } from '../steps/step-log.ts';
import type { StepMemory } from '../steps/step-memory.ts';
import { jobCommand } from './job-command.ts';
import { type PlacedProgram, placeProgram } from './place-program.ts';
import { type JobDependencies, type RunningJob, runJob } from './run-job.ts';

const jobsMax = 16;
/** Makes Python write output as it comes and not when a buffer is full. */
const ownEnv = { PYTHONUNBUFFERED: '1' };

/** See `contexts/session-rules.ts`. */
type Rules = { readonly isConfining: boolean; assertLanguage(language: string): void };

type Dependencies = JobDependencies & {
  memory: Pick<StepMemory, 'admit' | 'acknowledge' | 'begin'>;
  workspace: Workspace;
  /** The part of the session that its jobs share with its kernels. */
  session: { readonly env: Record<string, string>; readonly rules: Rules; assertMayRun(): void };
};

/** The running jobs, side by side. */
export class JobSet {
  #deps: Dependencies;
  #running = new Map<string, RunningJob>();

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /**
   * Accepts a job and returns the log of its frames. A rejected job has not started, and its id stays free.
   * @throws Problem `step-repeated`, `results-unacknowledged`, `session-ended`, `session-paused`, `policy-denied`, `quota-exceeded`, `unsupported-by-runtime`, `not-found` or
   * `path-conflict` if a path without code is not a regular file, and the problems of `resolvePath`
   */
  submit(job: AgentJob): StepLog {
    const { memory, session, config, workspace, watch } = this.#deps;
    if (job.acks) memory.acknowledge(job.acks);
    memory.admit(job.jobId);
    session.assertMayRun();
    session.rules.assertLanguage(job.language);
    if (this.#running.size >= jobsMax) throw new Problem('quota-exceeded', { detail: `${jobsMax} jobs run already` });
    const jobEnv = { ...ownEnv, ...session.env, ...job.env };
    const { code } = job;
    if (code === undefined) assertFile(workspace, job.filename);
    const { agentTmp: tmp, workspace: root } = config;
    // Alone, it makes all changes that no other one is known for.
    const record = watch.isBusy && config.hasPython ? openPathRecord(tmp) : null;
    let placed: PlacedProgram | null = null;
    const cleanUp = () => {
      record?.[Symbol.dispose]();
      void placed?.remove();
    };
    try {
      if (code !== undefined) placed = placeProgram({ ...job, code, tmp, workspace: root, env: jobEnv });
      const manner = { isConfined: session.rules.isConfining, isRecorded: record !== null, placed };
      const command = jobCommand(config, job, manner);
      const log = memory.begin(job.jobId, { contextId: null });
      const running = runJob(this.#deps, { job, command, env: placed?.env ?? jobEnv, log, record });
      this.#running.set(job.jobId, running);
      void running.ended.then(() => {
        this.#running.delete(job.jobId);
        cleanUp();
      });
      return log;
    } catch (error) {
      cleanUp();
      throw error;
    }
  }

  get busy(): boolean {
    return this.#running.size > 0;
  }

  /** Does nothing if the job has ended. */
  interrupt(jobId: string): void {
    this.#running.get(jobId)?.stop.interrupt({ code: 'interrupt' });
  }

  /** Interrupts all jobs; resolves when they have ended. */
  async quiesce(cause: Cause): Promise<void> {
    for (const { stop } of this.#running.values()) stop.interrupt(cause);
    await this.#allEnded();
  }

  /** Kills all jobs; resolves when they have ended. */
  async end(cause: Cause): Promise<void> {
    for (const job of this.#running.values()) job.kill(cause);
    await this.#allEnded();
  }

  async #allEnded(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }
}

function assertFile(workspace: Workspace, path: string): void {
  using target = resolvePath(workspace, path, { follow: true });
  if (!target.entry) throw new Problem('not-found', { detail: `${path} does not exist` });
  if (!target.entry.stats.isFile()) throw new Problem('path-conflict', { detail: `${path} is not a regular file` });
}

import type { AgentJob } from '@holdfast/specs/agent';
import type { Cause } from '@holdfast/specs/public';
import type { PathRecord } from '../files/scan/path-record.ts';
import type { StepWatch } from '../files/scan/workspace-watch.ts';
import { countOomKills } from '../kernel-process/end/memory-events.ts';
import { logError } from '../log.ts';
import type { OutputFiles } from '../steps/output-files.ts';
import { SharedTimer } from '../steps/shared-timer.ts';
import { appendChanges, StepCapture } from '../steps/step-capture.ts';
import type { StepLog } from '../steps/step-log.ts';
import { StepStop } from '../steps/step-stop.ts';
import type { JobCommand, JobConfig } from './job-command.ts';
import { jobOutcome } from './job-outcome.ts';
import { JobProcess } from './job-process.ts';

export type JobDependencies = {
  config: JobConfig;
  limits: { outputBytesMax: number; stopGraceMs: number };
  files: Pick<OutputFiles, 'begin'>;
  watch: StepWatch;
};

export type JobInput = {
  job: AgentJob;
  command: JobCommand;
  env: Record<string, string>;
  log: StepLog;
  /** The paths that it may have changed, which its supervisor records. */
  record: (PathRecord & { descriptor: number }) | null;
};

/** A running job. `ended` never rejects: it resolves once the last frame is in the log and none of the job's processes is left. */
export type RunningJob = { stop: StepStop; kill(cause: Cause): void; ended: Promise<void> };

/** Runs a job, up to the last frame in its log. */
export function runJob(deps: JobDependencies, input: JobInput): RunningJob {
  const process = new JobProcess(deps.config);
  const stop = new StepStop(
    {
      interrupt: ({ code }) => process.signal(code === 'timeout' ? 'SIGTERM' : 'SIGINT'),
      kill: () => process.kill(),
    },
    { timeoutMs: input.job.timeoutMs, graceMs: deps.limits.stopGraceMs, timer: new SharedTimer() },
  );
  return {
    stop,
    kill(cause) {
      stop.killed(cause);
      void process.kill();
    },
    ended: follow(deps, { ...input, process, stop }).catch((error) => {
      logError(`job ${input.job.jobId} was broken off`, error);
      deps.watch.stepDropped(input.job.jobId);
      void process.kill();
      const end = { exitCode: null, signal: null, fault: 'the session-agent failed to run the job' };
      if (input.log.state !== 'finished') {
        input.log.finish(jobOutcome({ end, stopped: stop.cause, oomKilled: false }, { durationMs: 0 }));
      }
    }),
  };
}

async function follow(
  deps: JobDependencies,
  { job, command, env, log, record, process, stop }: JobInput & { process: JobProcess; stop: StepStop },
): Promise<void> {
  const { jobId, stdin } = job;
  const { outputBytesMax } = deps.limits;
  const memoryEvents = deps.config.memoryEvents ?? [];
  // The frame says that the job runs. A job has no context, so these two numbers, which the frame requires, mean nothing.
  log.append('started', { contextEpoch: 1, executionCount: 1 });
  const capture = new StepCapture(
    { stepId: jobId, log },
    { outputBytesMax, files: deps.files, input: null, answer() {} },
  );
  await deps.watch.stepStarted(jobId, record);
  const oomKillsBefore = countOomKills(memoryEvents);
  const startedAt = performance.now();
  const { isWhole, ...end } = await process.run({ command, env, stdin, record: record?.descriptor }, capture);
  const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000;
  const oomKilled = countOomKills(memoryEvents) > oomKillsBefore;
  const done = jobOutcome(
    { end, stopped: stop.cause, oomKilled, limits: job.limits },
    { durationMs, ...(!isWhole && { streamIncomplete: true }) },
  );
  stop.clear();
  capture.end();
  if (end.fault !== undefined && done.cause?.message) {
    log.append('error', { name: 'JobStartError', message: done.cause.message, traceback: [] });
  }
  appendChanges(log, await deps.watch.stepEnded(jobId));
  log.finish(done);
}

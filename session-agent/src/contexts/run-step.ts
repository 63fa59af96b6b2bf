import { type Cause, type CommMessage, type Expressions, Problem, type StepStatus } from '@holdfast/specs/public';
import type { StepWatch } from '../files/scan/workspace-watch.ts';
import type { Kernel } from '../kernel-process/kernel.ts';
import { logError } from '../log.ts';
import { addHint } from '../steps/add-hint.ts';
import type { OutputFiles } from '../steps/output-files.ts';
import type { SharedTimer } from '../steps/shared-timer.ts';
import type { StepCalls } from '../steps/step-calls.ts';
import { appendChanges, StepCapture } from '../steps/step-capture.ts';
import type { StepInput } from '../steps/step-input.ts';
import type { StepLog } from '../steps/step-log.ts';
import { StepStop } from '../steps/step-stop.ts';
import type { ContextKernel } from './context-kernel.ts';
import { KernelStartFailure } from './kernel-start-failure.ts';
import { resetEvent } from './reset-event.ts';
import { runsEmptyStep } from './runs-empty-step.ts';
import { stepOutcome } from './step-outcome.ts';

export type StepLimits = { outputBytesMax: number; stopGraceMs: number };

/** A step that waits for the context's kernel. */
export type QueuedStep = {
  stepId: string;
  code: string;
  /** A message of a front end, which the step handles instead of code. */
  comm?: CommMessage | undefined;
  timeoutMs: number;
  ifContextEpoch?: number | undefined;
  env?: Record<string, string> | undefined;
  /** Whether a recovery may run the whole step again. */
  replay?: boolean | undefined;
  onError?: 'drop-queue' | undefined;
  isSilent?: boolean | undefined;
  expressions?: Expressions | undefined;
  /** Null if the code may not ask for input. */
  input: StepInput | null;
  calls: StepCalls;
  log: StepLog;
};

export type RunDependencies = {
  contextKernel: ContextKernel;
  limits: StepLimits;
  files: Pick<OutputFiles, 'begin'>;
  watch: StepWatch;
  workspace: string;
  /** @throws Problem `policy-denied` if the policy forbids the language since the step was accepted */
  assertAllowed?: () => void;
  /** Called when a step's code has run, with its status. */
  onRun?: ((step: QueuedStep, status: StepStatus) => void) | undefined;
  /** Called when a step has ended in any way but `succeeded`, before the next one can start. */
  onFailed: (step: QueuedStep) => void;
  /** That of the queue, whose steps run one after the other. */
  timer: SharedTimer;
};

/** A step on its way through the kernel. `stop` is null until its code starts, and after the code has ended. */
export type CurrentStep = { readonly step: QueuedStep; stop: StepStop | null };

/**
 * Runs a step on the context's kernel, up to its last frame, and then calls `onEnded`. If the kernel is ready, the code starts before this
 * returns. Never rejects: whatever goes wrong, the step ends.
 */
export async function runStep(deps: RunDependencies, current: CurrentStep, onEnded: () => void): Promise<void> {
  const { contextKernel, watch } = deps;
  const { step } = current;
  let kernel: Kernel | null = null;
  try {
    deps.assertAllowed?.();
    if (!contextKernel.readyKernel) await contextKernel.ready();
    const scan = watch.stepStarted(step.stepId);
    if (scan) await scan;
    kernel = contextKernel.readyKernel ?? (await contextKernel.ready());
    // It may have been interrupted while it waited for the kernel.
    if (step.log.state === 'queued') await execute(deps, current, kernel);
  } catch (error) {
    if (error instanceof Problem && error.slug === 'policy-denied') refuse(deps, step, error);
    else if (error instanceof KernelStartFailure) failToStart(deps, step, error.reason);
    else await breakOff(deps, current, { kernel, error });
  } finally {
    watch.stepDropped(step.stepId);
    onEnded();
  }
}

async function execute(deps: RunDependencies, current: CurrentStep, kernel: Kernel): Promise<void> {
  const { contextKernel, limits, files, watch, workspace } = deps;
  const { stepId, code, comm, env, timeoutMs, ifContextEpoch, isSilent, expressions, input, calls, log } = current.step;
  if (ifContextEpoch !== undefined && ifContextEpoch !== contextKernel.contextEpoch) {
    return finishUnstarted(deps, current.step, { status: 'rejected', cause: null });
  }
  const execution = isSilent ? contextKernel.nextSilentExecution() : contextKernel.nextExecution();
  log.append('started', execution);
  announceReset(contextKernel, log);
  const capture = new StepCapture(
    { stepId, log },
    {
      outputBytesMax: limits.outputBytesMax,
      files,
      input,
      ...(expressions && { expressions: Object.keys(expressions) }),
      calls,
      answer: (text) => kernel.input(stepId, text),
      addHint: (error) => addHint(error, { code, workspace }),
    },
  );
  const framesBefore = log.frames;
  let saidNothing = false;
  const running = {
    interrupt(by: Cause) {
      saidNothing = by.code === 'timeout' && log.frames === framesBefore;
      kernel.interrupt();
    },
    kill: () => kernel.kill(),
  };
  const stop = new StepStop(running, { timeoutMs, graceMs: limits.stopGraceMs, timer: deps.timer });
  current.stop = stop;
  if (comm) capture.received(comm);
  const startedAt = performance.now();
  const end = await kernel.execute({ stepId, code, comm, env, stdin: input !== null, isSilent, expressions }, capture);
  const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000;
  stop.clear();
  current.stop = null;
  deps.onRun?.(current.step, end.status === 'died' ? 'lost' : end.status);
  if (end.status === 'died') {
    contextKernel.lost(kernel);
    await kernel.exited;
  }
  const isReplaced =
    end.status !== 'died' && contextKernel.noteSilence(saidNothing) && !(await runsEmptyStep(kernel, capture));
  capture.end();
  if (isReplaced) await contextKernel.replace(kernel);
  announceReset(contextKernel, log);
  const changes = watch.stepEnded(stepId);
  appendChanges(log, changes instanceof Promise ? await changes : changes);
  const done = stepOutcome({ ...execution, durationMs, isReplaced }, end, stop.cause);
  log.finish(done);
  if (done.status !== 'succeeded') deps.onFailed(current.step);
  if (end.status === 'died') contextKernel.prestart();
}

function announceReset(contextKernel: ContextKernel, log: StepLog): void {
  const report = contextKernel.takeReset();
  if (report) log.append('state_reset', resetEvent(contextKernel.contextEpoch, report));
}

function refuse(deps: RunDependencies, step: QueuedStep, { options: { detail = '' } }: Problem): void {
  if (step.log.state === 'finished') return;
  step.log.append('error', { name: 'PolicyViolation', message: detail, traceback: [] });
  finishUnstarted(deps, step, { status: 'failed', cause: null });
}

function failToStart(deps: RunDependencies, step: QueuedStep, reason: Cause): void {
  if (step.log.state === 'finished') return;
  const { code, message = `the kernel ended before it was ready (${code})` } = reason;
  step.log.append('error', { name: 'KernelStartError', message, traceback: [] });
  finishUnstarted(deps, step, { status: 'failed', cause: reason });
}

/** Ends a step after a fault in the agent itself. The kernel is killed, as its state is unknown. */
async function breakOff(
  deps: RunDependencies,
  current: CurrentStep,
  { kernel, error }: { kernel: Kernel | null; error: unknown },
): Promise<void> {
  const { step } = current;
  logError(`step ${step.stepId} was broken off`, error);
  current.stop?.clear();
  current.stop = null;
  if (kernel) {
    deps.contextKernel.lost(kernel);
    await kernel.kill().catch((fault) => logError('a kernel could not be killed', fault));
  }
  if (step.log.state === 'finished') return;
  const cause: Cause = { code: 'kernel_killed', message: 'the session-agent failed to run the step' };
  finishUnstarted(deps, step, { status: 'failed', cause });
}

/** Writes the last frame of a step whose code did not run to an end. */
export function finishUnstarted(
  { contextKernel, onFailed }: Pick<RunDependencies, 'contextKernel' | 'onFailed'>,
  step: QueuedStep,
  { status, cause }: { status: 'interrupted' | 'rejected' | 'failed'; cause: Cause | null },
): void {
  const execution = { contextEpoch: contextKernel.contextEpoch, executionCount: 0, durationMs: 0 };
  step.input?.end();
  step.log.finish({ ...execution, status, stateSurvived: status !== 'failed', cause });
  onFailed(step);
}

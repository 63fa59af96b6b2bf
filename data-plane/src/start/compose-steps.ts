import type { Language, StateReset } from '@holdfast/specs/public';
import type { Config } from '../config/parse-config.ts';
import { createContextLanguages } from '../contexts/context-languages.ts';
import type { Verbs } from '../http/v1/verbs.ts';
import { afterJob } from '../jobs/after-job.ts';
import { collectStepChanges } from '../jobs/collect-step-changes.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Database } from '../registry/connect.ts';
import { isRowImpossible } from '../registry/database-error.ts';
import { recordLargeSteps } from '../registry/steps/record-large-steps.ts';
import { recordSteps } from '../registry/steps/record-steps.ts';
import type { Caller } from '../sessions/caller.ts';
import { condemnSandbox } from '../sessions/condemn-sandbox.ts';
import { resumePausedSession } from '../sessions/pause/resume-paused-session.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { followSession } from '../sharing/follow-session.ts';
import { createSharedSteps } from '../sharing/shared-steps.ts';
import { noteKernelLoss } from '../state/note-kernel-loss.ts';
import { createAdmissions } from '../steps/admissions.ts';
import type { EndedRow } from '../steps/drive-step.ts';
import { followStep } from '../steps/follow-step.ts';
import { findWaitingStep, getStep } from '../steps/get-step.ts';
import { interruptOwnStep, interruptStep } from '../steps/interrupt-step.ts';
import { listSteps } from '../steps/list-steps.ts';
import type { StepStart } from '../steps/live-step.ts';
import { readOutput } from '../steps/read-output.ts';
import { createStepRecorder } from '../steps/recording/step-recorder.ts';
import { runStep } from '../steps/run-step.ts';
import { sendComm } from '../steps/send-comm.ts';
import { createSendOrder } from '../steps/send-order.ts';
import { sendStdin } from '../steps/send-stdin.ts';
import type { Core } from './compose-core.ts';
import { composeOperations } from './compose-operations.ts';
import type { Reconciling } from './compose-reconciling.ts';

type StepsInput = { config: Config; metrics: Metrics; historyDb: Database; core: Core; reconciling: Reconciling };

/**
 * The verbs of steps. `driving` follows a step to its end, here or after a hand-over; `running` also admits and sends it, and jobs
 * use it as well.
 */
export function composeSteps({ config, metrics, historyDb, core, reconciling: { reconciler, losing } }: StepsInput) {
  const { db, log, background } = core;
  const recorder = createStepRecorder({
    write: (rows) => recordSteps(historyDb, rows),
    writeLarge: (rows) => recordLargeSteps(db, rows),
    isRowImpossible,
    onBatch: metrics.recordBatch,
    onFailure: (err) => log.error({ err, willRetry: !isRowImpossible(err) }, 'steps could not be recorded'),
  });
  const operations = composeOperations({ config, core, hint: reconciler.hint, running: () => running });
  const driving = {
    ...core,
    ...losing,
    recorder,
    operations: operations.ofSteps,
    admissions: createAdmissions(core),
    hint: reconciler.hint,
    onRecorded: core.watches.hint,
    condemn: (route: Route, because: Parameters<typeof condemnSandbox>[1]['because']) =>
      condemnSandbox(losing, { route, because }),
    collectChanges: (ended: Parameters<typeof collectStepChanges>[1]) => collectStepChanges(core, ended),
    graceMs: config.steps.graceSeconds * 1000,
    async onReset({ sessionId, epoch, contextId, language }: StepStart, reset: StateReset) {
      // A job has no context.
      if (contextId === null) return;
      await noteKernelLoss(core, { sessionId, epoch, contextId, language: language as Language, reset });
    },
    onEnd(row: EndedRow) {
      metrics.stepEnded(row);
      if (row.job) background(afterJob(core, row));
      const { sessionId, contextId } = row;
      // A step of a session whose route is not in memory is found by a duty.
      if (contextId !== null && core.routes.cached(sessionId)?.recovery === 'auto') {
        core.autoSnapshots.note({ sessionId, contextId, language: row.language });
      }
    },
  };
  const running = {
    ...driving,
    contextLanguages: createContextLanguages({ db }),
    sendOrder: createSendOrder(),
    stepTimeoutMs: config.steps.timeoutSeconds * 1000,
    interrupt: (route: Route, stepId: string) => interruptOwnStep(core, { route, stepId }),
    resumeSession: (caller: Caller, id: string) => resumePausedSession(losing, { caller, id }),
  };
  const following = { ...core, sharedSteps: createSharedSteps(core) };
  const verbs = {
    ...operations.verbs,
    runStep: (input) => runStep(running, input),
    getStep: (input) => getStep(core, input),
    listSteps: (input) => listSteps(core, input),
    followStep: (input) => followStep(core, input),
    followSession: (input) => followSession(following, input),
    interruptStep: (input) => interruptStep(running, input),
    findWaitingStep: (input) => findWaitingStep(core, input),
    sendComm: (input) => sendComm(running, input),
    sendStdin: (input) => sendStdin(running, input),
    readOutput: (input) => readOutput(running, input),
  } satisfies Partial<Verbs>;
  return { recorder, driving, running, verbs };
}

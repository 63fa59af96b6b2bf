import { Problem } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import type { StepRecord } from '../registry/steps/record-steps.ts';
import { existingSession, refuseUnlessActive } from '../sessions/existing-session.ts';
import type { Admissions } from './admissions.ts';
import { type FollowDependencies, repeatedStep } from './follow-step.ts';
import { intentRecord } from './intent-and-end.ts';
import type { LiveStep, StepStart } from './live-step.ts';
import type { StepRecorder } from './recording/step-recorder.ts';

export type AdmitDependencies = FollowDependencies & {
  db: Database;
  recorder: Pick<StepRecorder, 'intent' | 'withdraw'>;
  admissions: Pick<Admissions, 'admit' | 'giveUp'>;
  replicaId: string;
};

type AdmissionRequest = {
  start: StepStart;
  tenant: string;
  /** Identifies the request, so that a repeat is recognised. Null for a step without an Idempotency-Key. */
  fingerprint: Buffer | null;
  /** Whether a recovery may run the whole step again. */
  replay?: boolean;
};

/** A step that may be sent. */
export type AdmittedStep = {
  /** `go`: its row is written while the code already starts. `admitted`: its row was written first. */
  kind: 'go' | 'admitted';
  /** The step's record until its end. */
  intent: StepRecord;
  /** Resolves when the registry has the step's row. Clients see nothing of the step before. */
  recorded: Promise<unknown>;
  /** Removes the row, or the intent of writing it. Only for a step that provably did not start. Never rejects. */
  withdraw(): Promise<void>;
};

/** `repeated`: an earlier request had the same id, and this is the step that it started. */
export type Admission = AdmittedStep | { kind: 'repeated'; live: LiveStep };

/**
 * Decides whether a step or a job may be sent. Every one of them passes here once, before anything reaches its sandbox.
 *
 * If a rule has to hold before the code runs, the step is admitted by one statement that inserts its row under that rule. For now this
 * is that an id runs once: it concerns jobs, and steps with an Idempotency-Key. A step that may run again is marked before it starts. For any other step the answer is `go`. It comes at once
 * and not as a promise, so that a plain step costs no query and no wait.
 *
 * @throws Problem 422 if the id was used for another request, 409 if the earlier request is still running, 410 or 503 if the session
 * accepts no step now
 */
export function admitStep(deps: AdmitDependencies, request: AdmissionRequest): Admission | Promise<Admission> {
  const { start, fingerprint, replay = false } = request;
  return fingerprint === null && !replay ? letGo(deps, start) : admitFirst(deps, { ...request, replay });
}

function letGo({ admissions, recorder, replicaId }: AdmitDependencies, start: StepStart): AdmittedStep {
  const intent = intentRecord(start, { replicaId, mayHaveRow: false });
  const recorded = recorder.intent(intent);
  const withdraw = async () => {
    if (recorder.withdraw(start.id)) return;
    await recorded;
    await admissions.giveUp({ id: start.id, admissionId: null });
  };
  return { kind: 'go', intent, recorded, withdraw };
}

async function admitFirst(
  deps: AdmitDependencies,
  { start, tenant, fingerprint, replay }: AdmissionRequest & { replay: boolean },
): Promise<Admission> {
  const { db, admissions, replicaId } = deps;
  const { id, sessionId } = start;
  const intent = intentRecord(start, { replicaId, mayHaveRow: true });
  const withdraw = await admissions.admit({ step: intent, fingerprint, replay });
  if (withdraw) return { kind: 'admitted', intent, recorded: Promise.resolve(), withdraw };
  const live = fingerprint && (await repeatedStep(deps, { sessionId, stepId: id, fingerprint }));
  if (live) return { kind: 'repeated', live };
  refuseUnlessActive(await existingSession(db, { id: sessionId, tenant }));
  throw new Problem('sandbox-unreachable', { detail: 'the session has a new sandbox', retryAfterSeconds: 1 });
}

type RecordingDependencies = { isDraining(): boolean; recorder: Pick<StepRecorder, 'healthy'> };

/**
 * Comes before everything else that a step needs: a step must not begin if its end could not be recorded.
 * @throws Problem 503
 */
export function refuseUnlessRecording({ isDraining, recorder }: RecordingDependencies): void {
  if (isDraining()) throw new Problem('draining', { retryAfterSeconds: 1 });
  if (!recorder.healthy) throw new Problem('database-unavailable', { retryAfterSeconds: 1 });
}

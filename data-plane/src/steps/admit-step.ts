import { Problem } from '@holdfast/specs/public';
import { findExcess } from '../policy/budgets/find-excess.ts';
import { refuseStep } from '../policy/refusals/refuse-step.ts';
import { policyDenied } from '../policy/rules/policy-denied.ts';
import type { Database } from '../registry/connect.ts';
import type { StepRecord } from '../registry/steps/record-steps.ts';
import { existingSession, refuseUnlessActive } from '../sessions/existing-session.ts';
import type { Route, Routes } from '../sessions/sandbox-routes.ts';
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
  routes: Pick<Routes, 'find' | 'drop'>;
};

type AdmissionRequest = {
  start: StepStart;
  tenant: string;
  /** Identifies the request, so that a repeat is recognised. Null for a step without an Idempotency-Key. */
  fingerprint: Buffer | null;
  /** Whether a recovery may run the whole step again. */
  replay?: boolean;
  /**
   * The session as this replica knows it: whether it has a budget, and the policy by which the step was judged. If the budget has changed
   * meanwhile, the admission goes by that of now.
   */
  route: Pick<Route, 'hasBudget' | 'hasWebhooks' | 'policy' | 'policyRevision'>;
  /** Whether a repeat is answered while the step runs. */
  mayRun?: boolean | undefined;
  /** The iterations that the step takes from the budget. */
  iterations?: 0 | 1;
};

/** A step that may be sent. */
export type AdmittedStep = {
  /** `go`: its row is written while the code already starts. `admitted`: its row was written first. */
  kind: 'go' | 'admitted';
  /** The step's record until its end. Its timeout is the one that counts: a budget may have left less than the step asked for. */
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
 * If a rule has to hold before the code runs, the step is admitted by one statement that inserts its row under that rule. The rules are
 * that an id runs once, which concerns jobs, and steps with an Idempotency-Key; that a budget is not exceeded; and that the policy is the one by which
 * the step was judged. A step that may run again, that is silent or has expressions, or whose end is delivered to webhooks, is
 * marked before it starts. For any other step the answer is `go`. It comes at once
 * and not as a promise, so that a plain step costs no query and no wait.
 *
 * @throws Problem 422 if the id was used for another request, 409 if the earlier request is still running, 410 or 503 if the session
 * accepts no step now, 429 if its budget does not allow the step
 */
export function admitStep(deps: AdmitDependencies, request: AdmissionRequest): Admission | Promise<Admission> {
  const { start, fingerprint, replay = false, route } = request;
  const isMarked = replay || start.isSilent || start.expressions;
  const isPlain = fingerprint === null && !isMarked && !route.hasBudget && !route.policy && !route.hasWebhooks;
  return isPlain ? letGo(deps, start) : admitFirst(deps, { ...request, replay });
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

/** A budget may have reserved something for other steps that is free by the time that the reason for a refusal is read. */
const triesMax = 5;

async function admitFirst(
  deps: AdmitDependencies,
  request: AdmissionRequest & { replay: boolean },
): Promise<Admission> {
  const { db, admissions, replicaId } = deps;
  const { start, route, tenant, fingerprint, replay, mayRun, iterations = 1 } = request;
  const { policyRevision } = route;
  const { id, sessionId } = start;
  const step = intentRecord(start, { replicaId, mayHaveRow: true });
  for (let tries = 0; tries < triesMax; tries++) {
    const admitted = await admissions.admit({
      step,
      fingerprint,
      replay,
      policyRevision,
      reservedIterations: iterations,
    });
    if (admitted) {
      const { number: _, ...row } = admitted.row;
      return { kind: 'admitted', intent: { ...step, ...row }, recorded: Promise.resolve(), withdraw: admitted.giveUp };
    }
    const live = fingerprint && (await repeatedStep(deps, { sessionId, stepId: id, fingerprint, mayRun }));
    if (live) return { kind: 'repeated', live };
    const session = await existingSession(db, { id: sessionId, tenant });
    refuseUnlessActive(session);
    if (session.epoch !== start.epoch) break;
    if (session.policyRevision !== policyRevision) throw outdated(deps, sessionId);
    const problem = await findExcess(db, { session, iterations });
    if (problem) throw await refuseStep(deps, { start, kind: 'budget', rule: 'budget', problem });
  }
  throw new Problem('sandbox-unreachable', { detail: 'the session has changed just now', retryAfterSeconds: 1 });
}

type Refused = Pick<AdmissionRequest, 'start' | 'fingerprint' | 'mayRun'> & { rule: string };

/**
 * Refuses a step or a job by a rule of the policy. If an earlier request has started it, when the policy allowed that, it is answered as it was.
 * @throws Problem 403, of a step that the history shows as `rejected`
 */
export async function refuseByPolicy(
  deps: FollowDependencies,
  { start, fingerprint, mayRun, rule }: Refused,
): Promise<LiveStep> {
  const { id, sessionId } = start;
  const live = fingerprint && (await repeatedStep(deps, { sessionId, stepId: id, fingerprint, mayRun }));
  if (live) return live;
  throw await refuseStep(deps, { start, kind: 'policy-violation', rule, problem: policyDenied(rule) });
}

/** The request was judged by a policy that the session does not have any more. */
export class RouteOutdated extends Problem {
  constructor(sessionId: string) {
    const detail = `the policy or the budget of session ${sessionId} has changed just now`;
    super('session-starting', { detail, retryAfterSeconds: 1 });
  }
}

function outdated({ routes }: AdmitDependencies, sessionId: string): RouteOutdated {
  routes.drop(sessionId);
  return new RouteOutdated(sessionId);
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

import { Problem } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { insertAdmittedStep } from '../registry/steps/insert-admitted-step.ts';
import { existingSession, refuseUnlessActive } from '../sessions/existing-session.ts';
import { type FollowDependencies, repeatedStep } from './follow-step.ts';
import type { LiveStep, StepStart } from './live-step.ts';
import { intentRecord } from './intent-and-end.ts';

export type AdmitDependencies = FollowDependencies & { db: Database; replicaId: string };

type Admission = {
  start: StepStart;
  tenant: string;
  /** Of the request: a repeat has the same. */
  fingerprint: Buffer;
};

/**
 * Null where the step is admitted, else what became of the request that came first with its id.
 * @throws Problem 422 where that was another request, 409 while it is still running, 410 or 503 where the session takes no step now
 */
export async function admitStep(
  deps: AdmitDependencies,
  { start, tenant, fingerprint }: Admission,
): Promise<LiveStep | null> {
  const step = intentRecord(start, { replicaId: deps.replicaId, isKnown: false });
  const number = await insertAdmittedStep(deps.db, { step, fingerprint });
  if (number !== null) return null;
  const repeated = await repeatedStep(deps, { sessionId: start.sessionId, stepId: start.id, fingerprint });
  if (repeated) return repeated;
  refuseUnlessActive(await existingSession(deps.db, { id: start.sessionId, tenant }));
  throw new Problem('sandbox-unreachable', { detail: 'the session has a new sandbox', retryAfterSeconds: 1 });
}

import { newId, type Problem } from '@holdfast/specs/public';
import type { Database } from '../../registry/connect.ts';
import { insertRefusedStep, type RefusedStep } from '../../registry/steps/insert-refused-step.ts';

type Refusal = {
  start: Omit<RefusedStep, 'admissionId' | 'outcome'>;
  kind: 'policy-violation' | 'budget';
  /** The name of the rule in the audit log. */
  rule: string;
  problem: Problem;
};

/**
 * Records a step that a rule of the host refuses, so that the history and the audit log show it. It gets an id of its own: the same request can be
 * repeated once the rule allows it. Resolves with the problem, for the caller to throw.
 */
export async function refuseStep({ db }: { db: Database }, { start, kind, rule, problem }: Refusal): Promise<Problem> {
  await insertRefusedStep(db, {
    ...start,
    id: newId(start.job ? 'job' : 'stp'),
    admissionId: newId('uid'),
    outcome: { tag: 'error', kind, stateSurvived: start.job ? null : true },
    rule,
  });
  return problem;
}

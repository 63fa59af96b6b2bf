import type { ByteBudget } from '../../agent/byte-budget.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Database } from '../../registry/connect.ts';
import { replicaStaleSeconds } from '../../registry/replicas/beat-replica.ts';
import { type ReassignedStep, reassignSteps } from '../../registry/steps/reassign-steps.ts';
import type { Admissions } from '../../steps/admissions.ts';
import { type DriveDependencies, driveStep, loseStep } from '../../steps/drive-step.ts';
import { intentRecord } from '../../steps/intent-and-end.ts';
import { LiveStepLog } from '../../steps/live-step.ts';

export type HandOverDependencies = DriveDependencies & {
  db: Database;
  log: Logger;
  replicaId: string;
  liveSteps: Map<string, LiveStepLog>;
  admissions: Pick<Admissions, 'unsent' | 'withdrawGivenUp'>;
  background(work: Promise<unknown>): void;
  byteBudget: Pick<ByteBudget, 'room'>;
  isDraining(): boolean;
};

const batch = 100;
/** A step that is handed over may send so much at once, since its agent has all of its frames. */
const stepBytes = 1024 * 1024;

/**
 * Continues the steps of replicas that are gone: attaches to each at its agent, by the step's id, and records how it ended. Takes as many
 * at a time as there is room for their frames; the rest stay due, for another replica or for the next time.
 */
export async function handOverSteps(deps: HandOverDependencies): Promise<void> {
  await deps.admissions.withdrawGivenUp();
  let places = Math.floor(deps.byteBudget.room / stepBytes);
  while (!deps.isDraining() && places > 0) {
    const limit = Math.min(batch, places);
    const handedOver = await reassignSteps(deps.db, {
      replicaId: deps.replicaId,
      following: [...deps.liveSteps.keys()],
      unsent: deps.admissions.unsent(),
      staleSeconds: replicaStaleSeconds,
      limit,
    });
    // The statement may have waited for long, so a step that this replica follows or admits by now may be among them.
    for (const step of handedOver) if (!isInHand(deps, step)) deps.background(follow(deps, step));
    if (handedOver.length < limit) return;
    places -= limit;
  }
}

const isInHand = ({ liveSteps, admissions }: HandOverDependencies, { id, admissionId }: ReassignedStep): boolean =>
  liveSteps.has(id) || admissions.unsent().some((unsent) => unsent.id === id && unsent.admissionId === admissionId);

async function follow(deps: HandOverDependencies, step: ReassignedStep): Promise<void> {
  const live = new LiveStepLog(step);
  const { budgetId, isCutByBudget } = step;
  const intent = intentRecord(step, { replicaId: deps.replicaId, mayHaveRow: true, budgetId, isCutByBudget });
  live.show();
  deps.liveSteps.set(step.id, live);
  try {
    const route = await deps.routes.find(step.sessionId);
    if (route?.epoch === step.epoch) await driveStep(deps, { live, route, intent, send: null });
    else await loseStep(deps, { live, intent, code: 'sandbox_lost' });
  } catch (error) {
    deps.log.error({ stepId: step.id, err: error }, 'a step that was handed over could not be followed');
    live.fail(error as Error);
  } finally {
    deps.liveSteps.delete(step.id);
  }
}

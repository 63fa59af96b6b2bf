import type { Logger } from '../../observability/logger.ts';
import type { Database } from '../../registry/connect.ts';
import { replicaStaleSeconds } from '../../registry/replicas/beat-replica.ts';
import { type ReassignedStep, reassignSteps } from '../../registry/steps/reassign-steps.ts';
import type { Admissions } from '../../steps/admissions.ts';
import { type DriveDependencies, driveStep, loseStep } from '../../steps/drive-step.ts';
import { intentRecord } from '../../steps/intent-and-end.ts';
import { createLiveStep, type LiveStepLog } from '../../steps/live-step.ts';

export type HandOverDependencies = DriveDependencies & {
  db: Database;
  log: Logger;
  replicaId: string;
  liveSteps: Map<string, LiveStepLog>;
  admissions: Pick<Admissions, 'ids' | 'withdrawGivenUp'>;
  background(work: Promise<unknown>): void;
  isDraining(): boolean;
};

const batch = 100;

/** Continues the steps of replicas that are gone: attaches to each at its agent, by the step's id, and records how it ended. */
export async function handOverSteps(deps: HandOverDependencies): Promise<void> {
  await deps.admissions.withdrawGivenUp();
  const following = () => [...deps.liveSteps.keys(), ...deps.admissions.ids()];
  while (!deps.isDraining()) {
    const handedOver = await reassignSteps(deps.db, {
      replicaId: deps.replicaId,
      following: following(),
      staleSeconds: replicaStaleSeconds,
      limit: batch,
    });
    // The statement may have waited for long, so a step that this replica follows by now may be among them.
    const followed = new Set(following());
    for (const step of handedOver) if (!followed.has(step.id)) deps.background(follow(deps, step));
    if (handedOver.length < batch) return;
  }
}

async function follow(deps: HandOverDependencies, step: ReassignedStep): Promise<void> {
  const live = createLiveStep(step);
  const intent = intentRecord(step, { replicaId: deps.replicaId, mayHaveRow: true });
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

import { setTimeout as delay } from 'node:timers/promises';
import type { EndReason } from '@holdfast/specs/public';
import type { Logger } from '../observability/logger.ts';
import { type LoseDependencies, loseSandbox } from './lose-sandbox.ts';
import type { Route } from './sandbox-routes.ts';

export type CondemnDependencies = LoseDependencies & { log: Pick<Logger, 'warn' | 'error'>; replicaId: string };

type Condemnation = {
  route: Pick<Route, 'sessionId' | 'epoch'>;
  /** `stepId` is the step that this replica followed when it drew its conclusion. */
  because: { stepId: string; reason: EndReason; message: string };
};

const retryMs = 500;

/**
 * Takes the sandbox from a session, because it cannot be trusted any more, as a step of this replica has shown. Does nothing if the registry says that
 * another replica follows the step, or that its end is recorded: a replica that slept is the last to know. Asks until the database
 * answers, since the sandbox would go on otherwise. Never rejects.
 */
export async function condemnSandbox(deps: CondemnDependencies, { route, because }: Condemnation): Promise<void> {
  const { log, replicaId } = deps;
  const { sessionId: id, epoch } = route;
  const { stepId, reason, message } = because;
  for (;;) {
    try {
      const ifFollowed = { stepId, replicaId };
      const ended = await loseSandbox(deps, { id, epoch, ifFollowed, because: { reason, message } });
      const because = { sessionId: id, epoch, stepId, cause: { reason, message } };
      if (!ended)
        log.warn(because, 'a sandbox was not condemned: the session has ended, or the step is no longer ours');
      return;
    } catch (err) {
      log.error({ sessionId: id, epoch, stepId, err }, 'a sandbox could not be condemned yet');
      await delay(retryMs);
    }
  }
}

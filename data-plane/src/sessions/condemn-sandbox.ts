import { setTimeout as delay } from 'node:timers/promises';
import type { EndReason } from '@holdfast/specs/public';
import type { Logger } from '../observability/logger.ts';
import { type LoseDependencies, loseSandbox } from './lose-sandbox.ts';
import type { Route } from './sandbox-routes.ts';

export type CondemnDependencies = LoseDependencies & { log: Pick<Logger, 'warn' | 'error'>; replicaId: string };

export type Condemnation = {
  route: Pick<Route, 'sessionId' | 'epoch'>;
  /** The step or the process is the one that this replica followed when it drew its conclusion. */
  because: ({ stepId: string } | { processId: string }) & { reason: EndReason; message: string };
};

const retryMs = 500;

/**
 * Takes the sandbox from a session, because it cannot be trusted any more, as a step or a process of this replica has shown. Does nothing if the registry says that
 * another replica follows it, or that its end is recorded: a replica that slept is the last to know. Asks until the database
 * answers, since the sandbox would go on otherwise. Never rejects.
 */
export async function condemnSandbox(deps: CondemnDependencies, { route, because }: Condemnation): Promise<void> {
  const { log, replicaId } = deps;
  const { sessionId: id, epoch } = route;
  const { reason, message, ...what } = because;
  for (;;) {
    try {
      const ifFollowed = { ...what, replicaId };
      const ended = await loseSandbox(deps, { id, epoch, ifFollowed, because: { reason, message } });
      const event = { sessionId: id, epoch, ...what, cause: { reason, message } };
      if (!ended)
        log.warn(event, 'a sandbox was not condemned: the session has ended, or what it ran is no longer ours');
      return;
    } catch (err) {
      log.error({ sessionId: id, epoch, ...what, err }, 'a sandbox could not be condemned yet');
      await delay(retryMs);
    }
  }
}

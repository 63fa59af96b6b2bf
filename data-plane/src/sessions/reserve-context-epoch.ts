import { setTimeout as delay } from 'node:timers/promises';
import { AgentError } from '../agent/agent-error.ts';
import type { Database } from '../registry/connect.ts';
import { raiseContextEpoch } from '../registry/sessions/raise-context-epoch.ts';
import type { Route } from './sandbox-routes.ts';

export type ReserveDependencies = { db: Database };
type Seen = { route: Route; contextEpoch: number };

/** More kernels than a sandbox can start between two reports. An agent that counts faster would use up the numbers. */
const kernelsMax = 100_000;

/**
 * Reserves the contextEpoch that an agent reports, before a client sees it: the kernels of the session's next sandbox then get higher
 * ones. That costs a statement only if a kernel was lost or restarted since.
 * @throws AgentError `invalid` if the number cannot be true, `cut` if the session has another sandbox by now
 */
export async function reserveContextEpoch({ db }: ReserveDependencies, { route, contextEpoch }: Seen): Promise<void> {
  refuseBelowFirst(route, contextEpoch);
  if (contextEpoch <= route.contextEpochMax) return;
  if (contextEpoch - route.contextEpochMax > kernelsMax) {
    throw new AgentError('invalid', `contextEpoch ${contextEpoch} comes after ${route.contextEpochMax}`);
  }
  const { sessionId: id, epoch } = route;
  const reserved = await raiseContextEpoch(db, { id, epoch, contextEpoch });
  if (reserved === null) throw new AgentError('cut', 'the session has another sandbox by now');
  route.contextEpochMax = reserved;
}

/**
 * Earlier sandboxes of the session had the numbers below, and a client may know them.
 * @throws AgentError `invalid`
 */
export function refuseBelowFirst({ firstContextEpoch }: Pick<Route, 'firstContextEpoch'>, contextEpoch: number): void {
  if (contextEpoch >= firstContextEpoch) return;
  throw new AgentError(
    'invalid',
    `contextEpoch ${contextEpoch} is below ${firstContextEpoch}, the first of this sandbox`,
  );
}

const retryMs = 200;

/**
 * As `reserveContextEpoch`, but waits for a database that is away: the frames that report the number are not to be lost.
 * @throws AgentError, or the database's error once `signal` is aborted
 */
export async function reserveWithPatience(
  deps: ReserveDependencies,
  { signal, ...seen }: Seen & { signal: AbortSignal },
): Promise<void> {
  for (;;) {
    try {
      return await reserveContextEpoch(deps, seen);
    } catch (error) {
      if (error instanceof AgentError || signal.aborted) throw error;
      await delay(retryMs, undefined, { signal }).catch(() => {});
    }
  }
}

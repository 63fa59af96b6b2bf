import type { AgentClient } from '../../agent/agent-client.ts';
import { AgentError } from '../../agent/agent-error.ts';
import { countBoundRoutes, listUnheardRoutes, type UnheardRoute } from '../../registry/routes/list-unheard-routes.ts';
import { touchRoute } from '../../registry/routes/touch-route.ts';
import type { Routes } from '../../sessions/sandbox-routes.ts';
import { severalAtOnce } from '../../timing/several-at-once.ts';
import { type ReconcileDependencies, reconcileSession } from '../reconcile.ts';
import type { Silences } from '../silences.ts';
import { differsTooMuch } from './compare-sandboxes.ts';

export type ProbeDependencies = ReconcileDependencies & {
  agents: Pick<AgentClient, 'call'>;
  routes: Pick<Routes, 'find'>;
  leaseSeconds: number;
  silenceSeconds: number;
};

const atOnce = 256;
const probeMsMax = 5000;

/** How long a probe waits for its answer, and how long the next round of probes waits after it. */
export const probeMs = (silenceSeconds: number): number => Math.min(probeMsMax, (silenceSeconds * 1000) / 12);

/**
 * Probes the agents that may be silent: those that no replica has heard for most of the time after which they are lost, and those of `suspects`,
 * which did not answer a request or a renewal of their lease. Each replica does so. One that hears an agent says so in the registry, and
 * then no other can take the sandbox for lost.
 */
export async function probeSilentAgents(deps: ProbeDependencies, silences: Silences): Promise<void> {
  // The leases are renewed by one replica at a time, so a replica that is cut off from an agent must not be faster than the next one.
  const unheardSeconds = Math.max(deps.silenceSeconds, deps.leaseSeconds / 2);
  const suspects = [...deps.suspects];
  deps.suspects.clear();
  const unheard = await listUnheardRoutes(deps.db, { seconds: unheardSeconds * 0.75, suspects });
  silences.keep(new Set(unheard.map(({ sandboxUid }) => sandboxUid)));
  await severalAtOnce({ items: unheard, atOnce }, (route) =>
    probe(deps, { route, silences }).catch((err) =>
      deps.log.error({ sessionId: route.sessionId, err }, 'an agent could not be probed'),
    ),
  );
  const nowMs = performance.now();
  const lost = unheard.filter(({ sandboxUid }) => silences.hasLasted(sandboxUid, nowMs));
  if (lost.length === 0) return;
  const bound = await countBoundRoutes(deps.db);
  const silent = silences.uids.length;
  if (differsTooMuch(silent, bound)) {
    deps.log.error({ silent, bound }, 'so many agents do not answer that this replica is probably cut off from them');
    return;
  }
  await severalAtOnce({ items: lost, atOnce }, ({ sessionId, sandboxUid: uid }) =>
    reconcileSession(deps, sessionId, { uid, seconds: unheardSeconds }).catch((err) =>
      deps.log.error({ sessionId, err }, 'a session with a silent agent could not be checked'),
    ),
  );
}

async function probe(
  deps: ProbeDependencies,
  { route: { sessionId, sandboxUid: uid }, silences }: { route: UnheardRoute; silences: Silences },
): Promise<void> {
  const route = await deps.routes.find(sessionId);
  if (route?.sandboxUid !== uid) return;
  const askedAtMs = performance.now();
  try {
    await deps.agents.call(route, { method: 'GET', path: '/v1/session', timeoutMs: probeMs(deps.silenceSeconds) });
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    if (error.kind === 'undelivered' || error.kind === 'cut') {
      silences.failed(uid, askedAtMs);
      deps.suspects.add(sessionId);
      return;
    }
  }
  // A refusal is an answer, too.
  silences.answered(uid);
  await touchRoute(deps.db, route);
}

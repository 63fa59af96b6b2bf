import { setTimeout as delay } from 'node:timers/promises';
import type { AgentClient } from '../../agent/agent-client.ts';
import type { Database } from '../../registry/connect.ts';
import { databaseUnavailable } from '../../registry/database-error.ts';
import { cancelPause, type Pausing } from '../../registry/sessions/pause-session.ts';
import type { Route } from '../sandbox-routes.ts';
import { releaseHold } from './release-hold.ts';

type Dependencies = {
  db: Database;
  agents: Pick<AgentClient, 'call'>;
  background(work: Promise<unknown>): void;
};

type Failed = {
  pausing: Pausing;
  route: Route | null;
  /** The path of the agent's hold. */
  hold: string;
};

const retryMs = 200;
/** Then the deadline of the pause has passed, and any replica makes the session active again. */
const patienceMs = 120_000;

/**
 * Makes a session active again whose pause has failed, and lets its agent run steps. While the database is away this goes on in the background:
 * otherwise the session would stay `pausing` long after the outage.
 */
export async function goOnActive(deps: Dependencies, failed: Failed): Promise<void> {
  try {
    await cancelAndRelease(deps, failed);
  } catch (error) {
    if (!databaseUnavailable(error)) throw error;
    deps.background(cancelWithPatience(deps, failed));
  }
}

async function cancelWithPatience(deps: Dependencies, failed: Failed): Promise<void> {
  for (const startMs = performance.now(); performance.now() - startMs < patienceMs; ) {
    await delay(retryMs);
    try {
      return await cancelAndRelease(deps, failed);
    } catch (error) {
      if (!databaseUnavailable(error)) throw error;
    }
  }
}

async function cancelAndRelease(deps: Dependencies, { pausing, route, hold }: Failed): Promise<void> {
  await cancelPause(deps.db, pausing);
  if (route) await releaseHold(deps, { route, hold });
}

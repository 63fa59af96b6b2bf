import type { AgentClient } from '../../agent/agent-client.ts';
import type { Database } from '../../registry/connect.ts';
import { cancelPause } from '../../registry/sessions/pause-session.ts';
import type { Routes } from '../sandbox-routes.ts';
import { holdOf, releaseHold } from './release-hold.ts';

type Dependencies = {
  db: Database;
  agents: Pick<AgentClient, 'call'>;
  routes: Pick<Routes, 'find'>;
  background(work: Promise<unknown>): void;
};

/**
 * Makes a session active again whose pause takes too long or has lost its replica, and lets its agent run steps: its hold lasts longer. The
 * pause is cancelled first, because it may still be finished until then, and no step may run before.
 */
export async function endLeftPause(deps: Dependencies, { id, epoch }: { id: string; epoch: number }): Promise<void> {
  const route = await deps.routes.find(id);
  const cancelled = await cancelPause(deps.db, { id, epoch, deadlineAt: 'passed' });
  if (cancelled && route?.epoch === epoch) {
    deps.background(releaseHold(deps, { route, hold: holdOf(cancelled) }));
  }
}

import type { Database } from '../../registry/connect.ts';
import { listUnsettledWorlds } from '../../registry/world-files/list-unsettled-worlds.ts';
import { releaseWorld } from '../../registry/world-files/release-world.ts';
import type { Routes } from '../../sessions/sandbox-routes.ts';
import { hasSandbox } from '../../sessions/status.ts';
import { severalAtOnce } from '../../timing/several-at-once.ts';
import type { Worlds } from '../../world/create-worlds.ts';

type SettleWorldsDependencies = {
  db: Database;
  routes: Pick<Routes, 'find'>;
  worlds: Worlds;
  replicaId: string;
};

const batch = 20;
const atOnce = 4;

/**
 * Compares marked worlds with their working copies while these still exist. A write does that first, too; this is for sessions that no
 * one writes to. It takes every mark but those of writes that are running.
 */
export async function settleWorlds({ db, routes, worlds, replicaId }: SettleWorldsDependencies): Promise<void> {
  const listed = await listUnsettledWorlds(db, { replicaId, limit: batch });
  const items = listed.filter((sessionId) => !worlds.isWriting(sessionId));
  await severalAtOnce({ items, atOnce }, async (sessionId) => {
    const route = await routes.find(sessionId);
    if (!route || !hasSandbox(route.status)) return;
    await worlds.write({ sessionId, route }, ({ claim }) => releaseWorld(db, claim)).catch(() => {});
  });
}

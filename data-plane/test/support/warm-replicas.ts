import type { Session } from '@holdfast/specs/public';
import { afterEach, beforeEach, expect } from 'vitest';
import type { Database } from '../../src/registry/connect.ts';
import { findRoute } from '../../src/registry/routes/find-route.ts';
import type { WarmPool } from '../../src/runtimes/runtime.ts';
import { eventually } from './eventually.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';
import { createScriptedCluster, type ScriptedCluster } from './scripted-runtime.ts';
import { startReplica, type TestReplica } from './start-replica.ts';

type WarmRow = { name: string; template: string; sessionId: string | null; ready: boolean };

export const poolOf = (size: number, template = 'one'): WarmPool => ({
  profile: 'default',
  network: 'internet',
  size,
  template,
});

/** A session for which `poolOf` has sandboxes. */
export const asked = { network: 'internet' as const };

export const isWarm = (name: string) => name.startsWith('warm-');
export const maintain = (replica: TestReplica) => replica.duties.warmPools.maintain();

/** The first line of the metrics that begins so. */
export const metric = async ({ metrics }: TestReplica, line: string) =>
  (await metrics.exposition()).text.split('\n').find((one) => one.startsWith(line));

/** A database, a cluster and any number of replicas for each test of a file. */
export function warmReplicas() {
  let database: TestDatabase;
  let cluster: ScriptedCluster;
  const replicas: TestReplica[] = [];
  beforeEach(async () => {
    database = await createTestDatabase();
    cluster = createScriptedCluster();
  });
  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
    await cluster.close();
    await database.drop();
  });

  const given = {
    get db(): Database {
      return database.db;
    },
    /** For the role that owns the tables. */
    get owner(): Database {
      return database.owner;
    },
    get cluster(): ScriptedCluster {
      return cluster;
    },

    async replica(warmPools: WarmPool[], env: Record<string, string> = {}): Promise<TestReplica> {
      const started = await startReplica({ address: database.address, runtime: cluster.runtime(warmPools), env });
      replicas.push(started);
      return started;
    },
    /** Stops the last one that was started. */
    stopLast: async () => await replicas.pop()?.stop(),

    rows: async () =>
      await database.db.sql<WarmRow[]>`
        select name, template, session_id as "sessionId", ready_at is not null as ready from warm_sandboxes order by name`,
    readyNames: async () =>
      (await given.rows()).filter(({ ready, sessionId }) => ready && !sessionId).map(({ name }) => name),
    livingNames: () =>
      cluster
        .living()
        .map(({ sandbox }) => sandbox.name)
        .toSorted(),
    sandboxOf: async ({ id }: Session) => (await findRoute(database.db, { sessionId: id }))?.sandboxName ?? '',
    /** As if no replica had requested the template, or the size, for half a minute. */
    async expireRequests({
      template = 'one',
      size = null,
    }: {
      template?: string;
      size?: number | null;
    }): Promise<void> {
      await database.db.sql`
        update warm_wishes set seen_at = seen_at - interval '31 seconds'
        where template = ${template} and (${size}::int is null or size = ${size}::int)`;
    },

    /** Maintains the pools and waits until that many are ready. */
    async filled(replica: TestReplica, count: number): Promise<string[]> {
      await maintain(replica);
      return await eventually(async () => {
        const names = await given.readyNames();
        expect(names).toHaveLength(count);
        return names;
      });
    },
  };
  return given;
}

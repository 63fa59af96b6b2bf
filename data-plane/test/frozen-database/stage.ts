import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgresServer } from '../checker/stage/postgres-server.ts';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';

export type FrozenStage = Awaited<ReturnType<typeof startFrozenStage>>;
export type Replica = Awaited<ReturnType<typeof startReplicaOnKubernetes>>;

/** A Postgres that can be frozen, replicas that reach it over its own socket, and a cluster with real agents. */
export async function startFrozenStage({ replicas: count = 1 } = {}) {
  const started = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-frozen-'));
  started.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  const postgres = await startPostgresServer({ directory });
  started.defer(() => postgres.close());
  await postgres.admin('create database holdfast');
  const fake: FakeKubernetes = await startFakeKubernetes();
  started.defer(() => fake.close());
  const start = async (): Promise<Replica> => {
    const replica = await startReplicaOnKubernetes(fake, {
      DATABASE_URL: `postgres://postgres@localhost/holdfast?host=${postgres.socket}`,
      HOLDFAST_SESSIONS_MAX: '1000',
    });
    started.use(replica);
    return replica;
  };
  const replicas: Replica[] = [];
  // One after the other: the first makes the tables.
  for (let index = 0; index < count; index++) replicas.push(await start());
  return {
    ...{ postgres, fake, replicas, start },
    /** The first replica. */
    replica: replicas[0] as Replica,
    query: (statement: string) => postgres.admin(statement, 'holdfast'),
    /** The processes of the server that serve the replicas. `history` are those that have recorded steps. */
    async backends(): Promise<{ all: number[]; history: number[] }> {
      const rows = await postgres.admin(
        `select pid, query ~ '= step_count \\+ 1|update steps set status|ord int' as "hasRecorded" from pg_stat_activity
          where datname = 'holdfast' and application_name = 'holdfast' order by pid`,
      );
      const history = rows.filter(({ hasRecorded }) => hasRecorded);
      return { all: rows.map(({ pid }) => Number(pid)), history: history.map(({ pid }) => Number(pid)) };
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

import { createSessionSchema, newId, type Session } from '@holdfast/specs/public';
import { parseConfig } from '../../src/config/parse-config.ts';
import { createContents } from '../../src/contents/contents.ts';
import { createPostgresStore } from '../../src/contents/postgres-store.ts';
import { createSeal } from '../../src/keys/seal.ts';
import type { SigningKeys } from '../../src/keys/signing-keys.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { connectDatabase, type DatabaseAddress } from '../../src/registry/connect.ts';
import { registerReplica } from '../../src/registry/replicas/register-replica.ts';
import type { Runtime } from '../../src/runtimes/runtime.ts';
import { composeReplica } from '../../src/start/compose-replica.ts';

type ReplicaOptions = {
  address: DatabaseAddress;
  runtime: Runtime;
  /** Adds to a development configuration. */
  env?: Record<string, string>;
  /** null: agents are called without authentication. */
  signing?: SigningKeys | null;
};

export type TestReplica = Awaited<ReturnType<typeof startReplica>>;

/** A replica without its HTTP edge and without its periodic duties: a test takes their turns itself. */
export async function startReplica({ address, runtime, env = {}, signing = null }: ReplicaOptions) {
  const config = parseConfig({ HOLDFAST_ENV: 'development', HOLDFAST_SESSIONS_MAX: '10000', ...env });
  const db = connectDatabase({ ...address, poolMax: 8 });
  const historyDb = connectDatabase({ ...address, poolMax: 1 });
  const readsDb = connectDatabase({ ...address, poolMax: 2 });
  const heartbeatDb = connectDatabase({ ...address, poolMax: 1 });
  const id = newId('rep');
  const replica = { id, slot: id };
  await registerReplica(db, replica);
  const lines: string[] = [];
  const log = createLogger({ level: 'info' }, { write: (line) => lines.push(line) });
  const metrics = createMetrics({ agentAuthBypassed: signing === null });
  const seal = createSeal({ current: new Uint8Array(32) });
  const store = createPostgresStore({ db });
  const contents = createContents({ db, stores: [store], store });
  const given = {
    config,
    db,
    historyDb,
    readsDb,
    heartbeatDb,
    contents,
    runtime,
    seal,
    signing,
    transferSeal: null,
    log,
    metrics,
    replica,
    keyless: true,
  };
  const deps = composeReplica(given);
  const caller = { tenant: 'acme', scopes: new Set(['run', 'host', 'admin'] as const), keyId: null };
  return {
    ...deps,
    db,
    contents,
    log,
    metrics,
    caller,
    /** The lines of the log, as JSON. */
    lines,
    createSession: async (
      body: object = {},
      { tenant = caller.tenant, idempotencyKey }: { tenant?: string; idempotencyKey?: string } = {},
    ): Promise<Session> =>
      await deps.verbs.createSession({
        caller: { ...caller, tenant },
        request: createSessionSchema.parse(body),
        ...(idempotencyKey && { idempotencyKey }),
      }),
    async stop(): Promise<void> {
      deps.drain();
      await deps.close(new AbortController().signal);
      await db.close();
      await historyDb.close();
      await readsDb.close();
      await heartbeatDb.close();
    },
  };
}

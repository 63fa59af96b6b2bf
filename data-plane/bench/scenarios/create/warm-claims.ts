import { join } from 'node:path';
import type { Session } from '@holdfast/specs/public';
import { Client } from 'undici';
import { connectDatabase, type Database } from '../../../src/registry/connect.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { latencies, type Measured, runRounds } from '../../measure/run-rounds.ts';
import { product } from '../../peers/product.ts';
import { bundledAgent } from '../../stage/bundled-agent.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import { type Product, startProduct } from '../../stage/start-product.ts';

const program = join(import.meta.dirname, 'serve-warm-pool.ts');

/**
 * Each claim costs the launch of the sandbox that replaces it: about 0.5 s of a core. Claims that follow each other (`times`) are over before
 * the first replacement starts.
 */
const cases = {
  smoke: [{ atOnce: 2, times: 1, rounds: 2 }],
  full: [
    { atOnce: 1, times: 4, rounds: 25 },
    { atOnce: 16, times: 1, rounds: 6 },
    { atOnce: 64, times: 1, rounds: 3 },
  ],
};

/** By then a sandbox has finished its start: it is connected, has rehearsed a claim, and holds a kernel ready. */
const restSeconds = { smoke: 0, full: 5 };

/**
 * The time of `POST /v1/sessions` if a warm sandbox is ready, beside a durable transaction on one connection. Both begin on an idle machine,
 * as each waits until the pool is full and at rest. Its replacements start with the first claim, as in real use.
 */
export async function measureWarmClaims(stage: Stage, plan: Plan): Promise<void> {
  for (const { atOnce, times, rounds } of amount(plan, cases)) {
    const pool = await startWarmPool(stage, Math.max(atOnce, times + 1));
    const inTurn = (measure: () => Promise<Measured[]>) => async () => {
      await pool.isAtRest(amount(plan, restSeconds));
      return await measure();
    };
    await runRounds(stage, {
      scenario: 'create',
      case: `warm claim, ${atOnce} at once`,
      rounds: roundsOf(plan, { smoke: rounds, full: rounds }),
      warmUp: 1,
      contestants: [
        { peer: product, measure: inTurn(() => pool.claim(atOnce, times)) },
        { peer: 'durable transaction', measure: inTurn(() => latencies(10, pool.transaction)) },
      ],
    });
    await pool.close();
  }
}

/** A database and a Holdfast of their own, so that no pool is filled for another case. */
async function startWarmPool(stage: Stage, size: number) {
  const { address, create } = await stage.database();
  const database = `warm_${size}`;
  const url = await create(database);
  const db = connectDatabase({ ...address, database, poolMax: 1 });
  const env = {
    DATABASE_URL: url,
    BENCH_WARM_SANDBOXES: String(size),
    BENCH_AGENT_MAIN: await bundledAgent(stage),
    // An agent that waits for a session ends with its lease.
    HOLDFAST_AGENT_LEASE_SECONDS: '3600',
  };
  const holdfast = await startProduct(stage, { env, program });
  const connections = Array.from({ length: size }, () => new Client(holdfast.url));
  await db.sql`create table bench_rows (id bigint generated always as identity primary key, state text not null)`;

  return {
    isAtRest: (seconds: number) =>
      eventually(async () => {
        const [row] = await db.sql<{ ready: number }[]>`
          select count(*)::int as ready from warm_sandboxes
          where ready_at <= now() - ${seconds}::float8 * interval '1 second' and session_id is null`;
        if (row?.ready !== size) throw new Error(`${row?.ready} of ${size} sandboxes are ready`);
      }, 300_000),

    /** The sessions are deleted again. */
    async claim(count: number, times: number): Promise<Measured[]> {
      const used = connections.slice(0, count);
      // So that every connection is open.
      await Promise.all(used.map(async (one) => (await one.request({ method: 'GET', path: '/healthz' })).body.dump()));
      const claimed: Awaited<ReturnType<typeof createSession>>[] = [];
      for (let i = 0; i < times; i++)
        claimed.push(...(await Promise.all(used.map((connection) => createSession(connection, holdfast)))));
      await refuseUnlessWarm(
        db,
        claimed.map(({ id }) => id),
      );
      for (const { id } of claimed) await holdfast.request('DELETE', `/v1/sessions/${id}`);
      return claimed.map(({ ms }) => ({ metric: 'latency', value: ms, unit: 'ms' }));
    },

    transaction: () =>
      db.transaction(async ({ sql }) => {
        const [row] = await sql<{ id: string }[]>`insert into bench_rows (state) values ('creating') returning id`;
        await sql`update bench_rows set state = 'active' where id = ${row?.id ?? 0}`;
      }),

    async close(): Promise<void> {
      for (const connection of connections) await connection.close();
      await db.close();
      await holdfast.stop();
    },
  };
}

async function createSession(connection: Client, { headers }: Pick<Product, 'headers'>) {
  const start = performance.now();
  const { statusCode, body } = await connection.request({
    method: 'POST',
    path: '/v1/sessions',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"language": "python"}',
  });
  const text = await body.text();
  const ms = performance.now() - start;
  if (statusCode !== 201) throw new Error(`${statusCode}: ${text}`);
  return { id: (JSON.parse(text) as Session).id, ms };
}

/** @throws Error if two sessions share a sandbox, or one has a sandbox that was not in the pool */
async function refuseUnlessWarm({ sql }: Database, sessionIds: string[]): Promise<void> {
  const rows = await sql<{ name: string }[]>`
    select sandbox_name as name from session_routes where session_id = any(${sessionIds})`;
  const names = new Set(rows.map(({ name }) => name).filter((name) => name.startsWith('warm-')));
  if (names.size !== sessionIds.length)
    throw new Error(`${sessionIds.length} sessions have ${names.size} different warm sandboxes`);
}

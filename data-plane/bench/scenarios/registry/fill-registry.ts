import { connectDatabase, type Database, type DatabaseAddress } from '../../../src/registry/connect.ts';
import { migrate } from '../../../src/registry/migrate.ts';
import type { BenchDatabase } from '../../stage/start-database.ts';

export const stepsPerSession = 100;

/** Ids in the order of their creation, as those of the product are. Steps belong to the first sessions. */
export const sessionId = (number: number) => `ses_${String(number).padStart(26, '0')}`;

/** A migrated database of its own with this many sessions, routes and steps, whose statistics are up to date. */
export async function fillRegistry(
  { address, admin }: Pick<BenchDatabase, 'address' | 'admin'>,
  rows: number,
): Promise<Database> {
  const database = `registry_${rows}`;
  await alone(admin, [`create database ${database} owner ${address.user}`]);
  const db = connectDatabase({ ...address, database, poolMax: 1 });
  await migrate(db);
  await alone({ ...address, database }, statements(rows));
  // Otherwise the writes of the fill would go on while the queries are timed.
  await alone({ ...admin, database }, ['vacuum (analyze)', 'checkpoint']);
  await readAll(db);
  return db;
}

/**
 * Reads every page on the connection that is measured. The first touch of each page of the shared buffers costs a process a page fault, and
 * connections live long.
 */
async function readAll(db: Database): Promise<void> {
  await db.transaction(async ({ sql }) => {
    await sql`set local statement_timeout = 0`;
    await sql`set local max_parallel_workers_per_gather = 0`;
    await sql`set local enable_bitmapscan = off`;
    await sql`select count(token) from session_routes where session_id > ''`;
    await sql`select count(tenant) from sessions where id > ''`;
    await sql`select count(code) from steps where session_id > ''`;
  });
}

/** With the time limit of migrations, since a fill takes longer than a statement of the program may. */
async function alone(address: DatabaseAddress, texts: readonly string[]): Promise<void> {
  const db = connectDatabase({ ...address, poolMax: 1 });
  const connection = db.connectAlone();
  for (const text of texts) await connection.unsafe(text);
  await connection.end();
  await db.close();
}

const id = (prefix: string, expression = 'number') => `'${prefix}_' || lpad((${expression})::text, 26, '0')`;

const statements = (rows: number) => [
  `insert into sessions (id, tenant, status, language, runtime, network, metadata, timeout_seconds, idle_timeout_seconds,
      start_deadline_at, step_count)
    select ${id('ses')}, 'default', 'active', 'python', 'process', 'internet', '{}', 86400, 3600, now(), ${stepsPerSession}
    from generate_series(0, ${rows - 1}) as number`,
  `insert into session_routes (session_id, epoch, sandbox_name, sandbox_uid, node, endpoint, agent_public_key, token, token_expires_at)
    select ${id('ses')}, 1, ${id('ses')} || '-1', ${id('uid')}, 'here', 'http://127.0.0.1:1', repeat('k', 43), repeat('t', 700), now()
    from generate_series(0, ${rows - 1}) as number`,
  `insert into steps (id, session_id, number, context_id, epoch, context_epoch, actor, language, code, status, events, execution_count,
      timeout_ms, queued_at, started_at, finished_at, duration_ms)
    select ${id('stp')}, ${id('ses', `number / ${stepsPerSession}`)}, number % ${stepsPerSession} + 1, 'python', 1, 1, 'agent', 'python',
      'x = ' || number, 'succeeded', decode(repeat('00', 160), 'hex'), number % ${stepsPerSession} + 1, 300000, now(), now(), now(), 1
    from generate_series(0, ${rows - 1}) as number`,
];

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { databaseRefusesUs, databaseUnavailable } from '../database-error.ts';
import type { Home } from './choose-home.ts';
import { passwordPath } from './create-cluster.ts';
import type { EmbeddedPostgres } from './start-embedded-postgres.ts';
import type { PostgresProcess } from './start-postgres.ts';

type PrepareInput = { socketDirectory: string; home: Home; signal?: AbortSignal | undefined };

const readyMs = 60_000;

/** Waits until the server accepts connections, then creates the role and its database, with a password that only this process knows. */
export async function prepareDatabase(
  server: PostgresProcess,
  { socketDirectory, home, signal }: PrepareInput,
): Promise<EmbeddedPostgres['address']> {
  const at = { host: socketDirectory, port: 5432 };
  const password = await readFile(passwordPath(home), 'utf8');
  const superuser = postgres({ ...at, user: 'postgres', password, database: 'postgres', max: 1, onnotice: () => {} });
  try {
    await untilReady(superuser, server, signal);
    const own = { user: 'holdfast', password: randomBytes(24).toString('base64url'), database: 'holdfast' };
    await makeRoleAndDatabase(superuser, own);
    return { ...at, ...own };
  } finally {
    await superuser.end({ timeout: 1 });
  }
}

async function untilReady(sql: postgres.Sql, server: PostgresProcess, signal?: AbortSignal): Promise<void> {
  for (const deadline = Date.now() + readyMs; ; await delay(10, undefined, { signal })) {
    if (server.hasEnded()) throw new Error(await server.ended);
    try {
      await sql`select 1`;
      return;
    } catch (error) {
      if (databaseRefusesUs(error) || !databaseUnavailable(error) || Date.now() > deadline) throw error;
    }
  }
}

/** The next start repeats what a crash between these statements left out. */
async function makeRoleAndDatabase(sql: postgres.Sql, { user, password, database }: Record<string, string>) {
  const [role] = await sql`select 1 from pg_roles where rolname = ${user as string}`;
  await sql.unsafe(`${role ? 'alter' : 'create'} role ${user} login password '${password}'`);
  const [found] = await sql`select 1 from pg_database where datname = ${database as string}`;
  if (!found) await sql.unsafe(`create database ${database} owner ${user}`);
}

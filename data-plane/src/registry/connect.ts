import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import * as schema from './schema.ts';

/** Where a Postgres is: a URL, also with `?host=/directory` as in libpq, or a Unix socket, whose directory is `host`. */
export type DatabaseAddress =
  | { url: string }
  | { host: string; port: number; user: string; password: string; database: string };

/** One pool, seen twice: `orm` for typed statements, `sql` for what must be lean. Both read and take times as `Date`. */
export type Database = {
  sql: postgres.Sql;
  orm: PostgresJsDatabase<typeof schema>;
  /** A connection outside the pool, for locks that belong to a connection. The caller ends it. */
  connectAlone(): postgres.Sql;
  /** Lets running statements finish for up to 5 s. */
  close(): Promise<void>;
};

/** Opens a pool; connections are made when they are needed, so an unreachable database shows at the first statement. */
export function connectDatabase({ poolMax, ...address }: DatabaseAddress & { poolMax: number }): Database {
  const sql = open(address, poolMax, { ...settings, ...limits });
  const { parsers, serializers } = sql.options;
  const [parse, serialize] = [parsers[timestamptz], serializers[timestamptz]];
  const orm = drizzle(sql, { schema });
  // Drizzle switches the driver's dates off for the whole pool; it can do with them as well.
  Object.assign(parsers, { [timestamptz]: parse });
  Object.assign(serializers, { [timestamptz]: serialize });
  return { sql, orm, connectAlone: () => open(address, 1, settings), close: () => sql.end({ timeout: 5 }) };
}

/** The type's OID in pg_type. */
const timestamptz = 1184;

/**
 * Statements are prepared once and their plans kept. One that was planned while its table was all but empty would go on reading
 * the whole table until the next statistics: tenfold slower within minutes.
 */
const settings = { application_name: 'holdfast', enable_seqscan: 'off', jit: 'off' };

/** Milliseconds. A statement that takes longer has met a lock or a database that cannot serve, and whoever waits is to be told. */
const limits = { statement_timeout: 30_000 };

/** A database host that went silent shows within about half a minute where a connection only waits for an answer. */
const keepAliveSeconds = 15;

function open(address: DatabaseAddress, max: number, connection: Record<string, string | number>): postgres.Sql {
  const options = { max, connect_timeout: 10, connection, keep_alive: keepAliveSeconds, onnotice: () => {} };
  if (!('url' in address)) return postgres({ ...address, ...options });
  const { url, host } = splitSocketHost(address.url);
  return postgres(url, host ? { ...options, host } : options);
}

/** The driver would send `host` to the server as a setting. */
function splitSocketHost(url: string): { url: string; host: string | null } {
  const parsed = new URL(url);
  const host = parsed.searchParams.get('host');
  if (!host) return { url, host };
  parsed.searchParams.delete('host');
  return { url: parsed.href, host };
}

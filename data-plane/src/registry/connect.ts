import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { type Queries, runTransaction } from './queries.ts';

/** The address of a Postgres: a URL, optionally with `?host=/directory` as in libpq, or a Unix socket in the directory `host`. */
export type DatabaseAddress =
  | { url: string }
  | { host: string; port: number; user: string; password: string; database: string };

/** The pool. Read `sql` and `orm` anew for each use, because another pool may replace the current one. */
export type Database = Queries & {
  readonly sql: postgres.Sql;
  /** Opens a connection outside the pool, for locks that belong to a connection. The caller ends it. */
  connectAlone(): postgres.Sql;
  /** Lets running statements finish for up to 5 s. */
  close(): Promise<void>;
};

type PoolOptions = {
  poolMax: number;
  /** `lazy`: writes become durable with the next durable commit, in any pool. */
  commit?: 'durable' | 'lazy' | undefined;
};

/**
 * Opens a pool. It connects when needed, so an unreachable database shows at the first statement.
 *
 * If a connection ends unexpectedly, a new pool replaces the whole pool: the driver can lose a statement that it gives to an ended
 * connection, and then the caller, and all later callers on that connection, would wait forever. The earlier pool finishes its
 * statements and transactions for up to 5 s.
 */
export function connectDatabase({ poolMax, commit, ...address }: DatabaseAddress & PoolOptions): Database {
  const leaving = new Set<Promise<void>>();
  let closing = false;
  let current = openPool();

  function openPool(): Pool {
    const pool: Pool = createPool(address, { poolMax, commit }, () => {
      if (!closing && pool === current) renew();
    });
    return pool;
  }

  function renew(): void {
    const left: Promise<void> = current.sql.end({ timeout: finishSeconds }).finally(() => leaving.delete(left));
    leaving.add(left);
    current = openPool();
  }

  return {
    get sql() {
      return current.sql;
    },
    get orm() {
      return current.orm;
    },
    transaction: (work) => runTransaction(current.sql, work),
    connectAlone: () => open(address, 1, { connection: settings }),
    async close() {
      closing = true;
      await Promise.all([current.sql.end({ timeout: 5 }), ...leaving]);
    },
  };
}

type Pool = { sql: postgres.Sql; orm: Queries['orm'] };

/** The time for the running statements of a replaced pool. Any that are left fail then, lost ones included. */
const finishSeconds = 5;

function createPool(address: DatabaseAddress, { poolMax, commit }: PoolOptions, onclose: () => void): Pool {
  const commits: Record<string, string> = commit === 'lazy' ? { synchronous_commit: 'off' } : {};
  const sql = open(address, poolMax, { connection: { ...settings, ...limits, ...commits }, onclose });
  const { parsers, serializers } = sql.options;
  const [parse, serialize] = [parsers[timestamptz], serializers[timestamptz]];
  const orm = drizzle(sql);
  // Drizzle replaces the driver's conversion of dates for the whole pool. It can work with them, and our own SQL needs them.
  Object.assign(parsers, { [timestamptz]: parse });
  Object.assign(serializers, { [timestamptz]: serialize });
  return { sql, orm };
}

/** The type's OID in pg_type. */
const timestamptz = 1184;

/**
 * Statements are prepared once and their plans reused. A plan made while its table was almost empty would read the whole table until
 * the next statistics: ten times slower within minutes.
 */
const settings = { application_name: 'holdfast', enable_seqscan: 'off', jit: 'off' };

/** Milliseconds. A statement that takes longer waits for a lock or a database that cannot serve, and its caller must learn of it. */
const limits = { statement_timeout: 30_000 };

/** With this, a connection that waits for an answer notices a silent database host within about half a minute. */
const keepAliveSeconds = 15;

type OpenOptions = { connection: Record<string, string | number>; onclose?: () => void };

function open(address: DatabaseAddress, max: number, given: OpenOptions): postgres.Sql {
  const options = { max, connect_timeout: 10, keep_alive: keepAliveSeconds, onnotice: () => {}, ...given };
  if (!('url' in address)) return postgres({ ...address, ...options });
  const { url, host } = splitSocketHost(address.url);
  return postgres(url, host ? { ...options, host } : options);
}

/** Separates `host` from the URL: the driver would send it to the server as a setting. */
function splitSocketHost(url: string): { url: string; host: string | null } {
  const parsed = new URL(url);
  const host = parsed.searchParams.get('host');
  if (!host) return { url, host };
  parsed.searchParams.delete('host');
  return { url: parsed.href, host };
}

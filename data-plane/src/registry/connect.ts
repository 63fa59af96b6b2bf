import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { type Queries, runTransaction } from './queries.ts';

/** Where a Postgres is: a URL, also with `?host=/directory` as in libpq, or a Unix socket, whose directory is `host`. */
export type DatabaseAddress =
  | { url: string }
  | { host: string; port: number; user: string; password: string; database: string };

/** The pool. `sql` and `orm` are read at each use, since another pool may have replaced the one before. */
export type Database = Queries & {
  readonly sql: postgres.Sql;
  /** A connection outside the pool, for locks that belong to a connection. The caller ends it. */
  connectAlone(): postgres.Sql;
  /** Lets running statements finish for up to 5 s. */
  close(): Promise<void>;
};

type PoolOptions = {
  poolMax: number;
  /** `lazy`: a statement's writes are durable with the next commit that is, in whichever pool. */
  commit?: 'durable' | 'lazy' | undefined;
};

/**
 * Opens a pool; connections are made when they are needed, so an unreachable database shows at the first statement. Where a
 * connection ends unasked, a new pool takes the place of the whole: the driver may lose a statement that it gives to a connection
 * that has ended before, and whoever waits for it, or comes after it, waits for ever. What the earlier pool still does it may finish.
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

/** For the statements of a pool that is replaced; one that is lost is reported as failed then. */
const finishSeconds = 5;

function createPool(address: DatabaseAddress, { poolMax, commit }: PoolOptions, onclose: () => void): Pool {
  const commits: Record<string, string> = commit === 'lazy' ? { synchronous_commit: 'off' } : {};
  const sql = open(address, poolMax, { connection: { ...settings, ...limits, ...commits }, onclose });
  const { parsers, serializers } = sql.options;
  const [parse, serialize] = [parsers[timestamptz], serializers[timestamptz]];
  const orm = drizzle(sql);
  // Drizzle switches the driver's dates off for the whole pool; it can do with them as well.
  Object.assign(parsers, { [timestamptz]: parse });
  Object.assign(serializers, { [timestamptz]: serialize });
  return { sql, orm };
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

type OpenOptions = { connection: Record<string, string | number>; onclose?: () => void };

function open(address: DatabaseAddress, max: number, given: OpenOptions): postgres.Sql {
  const options = { max, connect_timeout: 10, keep_alive: keepAliveSeconds, onnotice: () => {}, ...given };
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

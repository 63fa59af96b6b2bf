import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { hasLostConnection } from './database-error.ts';

/**
 * The pool or a transaction; every registry operation takes it as its first argument. Both sides read and take times as `Date`,
 * and in a transaction both use its connection.
 */
export type Queries = {
  /** For typed statements. */
  readonly orm: Omit<PostgresJsDatabase, 'transaction'>;
  /** For statements that must be lean. */
  readonly sql: postgres.ISql;
  /**
   * Runs `work` in a transaction: commits if it resolves, rolls back if it rejects or if one of its statements failed. `work` must use
   * only the handle that it gets. Within a transaction this sets a savepoint: if `work` rejects and the caller catches the
   * error, the outer transaction continues without the writes of `work`. Nested calls must run one after the other.
   */
  transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T>;
};

/** Runs `work` in a transaction on a connection of the driver's pool. */
export async function runTransaction<T>(pool: postgres.Sql, work: (tx: Queries) => Promise<T>): Promise<T> {
  return (await pool.begin((sql) => work(createTransaction(sql)).catch(leaveToClose))) as T;
}

function createTransaction(sql: postgres.TransactionSql): Queries {
  let orm: Queries['orm'] | null = null;
  return {
    sql,
    get orm() {
      orm ??= createTransactionOrm(sql);
      return orm;
    },
    async transaction<T>(work: (tx: Queries) => Promise<T>) {
      return (await sql.savepoint((nested) => work(createTransaction(nested)).catch(leaveToClose))) as T;
    },
  };
}

/**
 * After a failure the driver sends a rollback, even if the connection is lost: the write to a closed socket then throws outside of
 * any promise, which would end the process. So this hides such a failure from the driver, whose `begin` rejects by itself as soon as
 * the connection closes. A nested transaction does not settle then, so that no caller can continue on the lost connection.
 */
function leaveToClose(error: unknown): Promise<never> {
  return hasLostConnection(error) ? new Promise(() => {}) : Promise.reject(error);
}

/**
 * Drizzle writes conversions into the options of its client. A transaction has no options: its connection uses those of the pool, which
 * `connectDatabase` has set. So drizzle gets options here that have no effect.
 */
function createTransactionOrm(sql: postgres.TransactionSql): Queries['orm'] {
  const client = Object.assign(sql, { options: { parsers: {}, serializers: {} } });
  return drizzle(client as unknown as postgres.Sql);
}

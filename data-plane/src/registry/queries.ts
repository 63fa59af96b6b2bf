import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';

/**
 * The database or a transaction; every registry operation takes it as its first argument. Both sides read and take times as `Date`,
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

/** Runs `work` in a transaction on a connection that does nothing else meanwhile. */
export async function runTransaction<T>(connection: postgres.Sql, work: (tx: Queries) => Promise<T>): Promise<T> {
  return (await connection.begin((sql) => work(createTransaction(sql)))) as T;
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
      return (await sql.savepoint((nested) => work(createTransaction(nested)))) as T;
    },
  };
}

/**
 * Drizzle writes conversions into the options of its client. A transaction has no options: it uses those of its connection, which
 * `connectDatabase` has set. So drizzle gets options here that have no effect.
 */
function createTransactionOrm(sql: postgres.TransactionSql): Queries['orm'] {
  const client = Object.assign(sql, { options: { parsers: {}, serializers: {} } });
  return drizzle(client as unknown as postgres.Sql);
}

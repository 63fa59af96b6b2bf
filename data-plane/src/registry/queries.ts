import { setImmediate as immediate } from 'node:timers/promises';
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
  /**
   * Runs statements in a transaction, sent together with its beginning and its end: one round trip instead of three. None of them can
   * depend on the answer to another. `onAnswered` gets their rows before the transaction commits, which it may still fail to do.
   */
  together<T extends readonly unknown[]>(
    statements: (sql: postgres.ISql) => Statements<T>,
    onAnswered?: (rows: T) => void,
  ): Promise<T>;
};

/** Statements that are not sent yet. Null is none, and its answer is null. */
export type Statements<T extends readonly unknown[]> = {
  [Place in keyof T]: T[Place] extends null
    ? null
    : postgres.PendingQuery<Extract<T[Place], readonly postgres.MaybeRow[]>> | Extract<T[Place], null>;
};

/** Runs `work` in a transaction on a connection that does nothing else meanwhile. */
export async function runTransaction<T>(connection: postgres.Sql, work: (tx: Queries) => Promise<T>): Promise<T> {
  return (await connection.begin((sql) => work(createTransaction(sql)))) as T;
}

/** Runs statements in a transaction of their own on a connection that does nothing else meanwhile. */
export async function runTogether<T extends readonly unknown[]>(
  connection: postgres.Sql,
  statements: (sql: postgres.ISql) => Statements<T>,
  onAnswered: (rows: T) => void = () => {},
): Promise<T> {
  const built = statements(connection);
  const begun = connection.unsafe('begin').execute();
  let hasFailed = false;
  const answered = sendAll(built);
  answered.then(onAnswered, () => {
    hasFailed = true;
  });
  // By then the driver has refused a statement that it cannot send. After one that the server refuses, a commit is a rollback.
  const ended = immediate().then(() => connection.unsafe(hasFailed ? 'rollback' : 'commit').execute());
  await Promise.allSettled([answered, begun, ended]);
  const [rows] = await Promise.all([answered, begun, ended]);
  return rows;
}

/** The driver sends statements in the order in which they are executed. */
async function sendAll<T extends readonly unknown[]>(statements: Statements<T>): Promise<T> {
  return (await Promise.all(statements.map((statement) => statement?.execute() ?? null))) as unknown as T;
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
    async together(statements, onAnswered = () => {}) {
      const rows = await sendAll(statements(sql));
      onAnswered(rows);
      return rows;
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

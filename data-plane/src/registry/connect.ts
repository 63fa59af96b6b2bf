import type postgres from 'postgres';
import { createConnections, type Task } from './connections/connections.ts';
import { type DatabaseAddress, driverAddress, openDriver } from './connections/open-driver.ts';
import { routeStatements, shareConversions } from './connections/statements.ts';
import { type Queries, runTogether, runTransaction } from './queries.ts';

export type { DatabaseAddress };

/** A number of connections behind one handle. */
export type Database = Queries & {
  /**
   * Opens one more connection, for work that takes longer than a statement may, such as migrations, and for locks that belong to a
   * connection. The caller ends it; a quarter of an hour later it ends in any case.
   */
  connectAlone(): postgres.Sql;
  /** Lets running statements finish for up to 5 s. */
  close(): Promise<void>;
};

type ConnectOptions = {
  /** The highest number of connections. */
  poolMax: number;
  /** `lazy`: writes become durable with the next durable commit, on any connection. */
  commit?: 'durable' | 'lazy' | undefined;
  /** The time limit of a statement, and of a transaction as a whole. */
  statementSeconds?: number | undefined;
};

/**
 * Connects when needed, so an unreachable database shows at the first statement. Every statement and every transaction has a time limit
 * on both sides: the server cancels what is slow, and `connections` gives up what gets no answer.
 * @throws Error for the operator if the address cannot be used
 */
export function connectDatabase({
  poolMax,
  commit = 'durable',
  statementSeconds = 30,
  ...given
}: DatabaseAddress & ConnectOptions): Database {
  const settings = {
    ...limits(statementSeconds),
    // Always said, so that a default of the role or the database cannot make durable writes lazy.
    synchronous_commit: commit === 'durable' ? 'on' : 'off',
  };
  const address = driverAddress(given);
  const builder = openDriver(address, { settings });
  const connections = createConnections({
    open: (onclose) => shareConversions(builder, openDriver(address, { settings, onclose })),
    max: poolMax,
    seconds: statementSeconds,
  });
  return {
    ...routeStatements(builder, connections.run),
    transaction: (work) =>
      new Promise((resolve, reject) =>
        connections.run(transactionTask((driver) => runTransaction(driver, work), { resolve, reject })),
      ),
    together: (statements, onAnswered) =>
      new Promise((resolve, reject) =>
        connections.run(transactionTask((driver) => runTogether(driver, statements, onAnswered), { resolve, reject })),
      ),
    connectAlone: () => connectAlone(address),
    close: connections.close,
  };
}

/** In milliseconds. A replica that is stopped in the middle of a transaction must not keep its rows locked. */
const limits = (seconds: number) => ({
  statement_timeout: seconds * 1000,
  idle_in_transaction_session_timeout: seconds * 1000,
});

type Outcome<T> = { resolve(result: T): void; reject(error: unknown): void };

function transactionTask<T>(run: (driver: postgres.Sql) => Promise<T>, { resolve, reject }: Outcome<T>): Task {
  return {
    start(driver, done) {
      run(driver)
        .then(resolve, reject)
        .finally(() => done('unheard'));
    },
    fail: reject,
  };
}

const aloneSeconds = 15 * 60;

function connectAlone(address: ReturnType<typeof driverAddress>): postgres.Sql {
  const driver = openDriver(address, {
    settings: { statement_timeout: aloneSeconds * 1000 },
    onclose: () => clearTimeout(late),
  });
  const late = setTimeout(() => driver.end({ timeout: 0 }), aloneSeconds * 1000).unref();
  return driver;
}

import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import type { Task, TaskEnd } from './connections.ts';

type Orm = Omit<PostgresJsDatabase, 'transaction'>;

/** A statement of the driver, as it is inside. Its types show only the promise. */
type Statement = {
  /** The driver calls this once, when the statement is awaited. */
  handler(statement: Statement): void;
  resolve(rows: unknown): void;
  reject(error: Error): void;
  cancelled: unknown;
};

/**
 * Both sides of a handle whose statements become tasks. So a statement has a time limit however it is written. `builder` makes the
 * statements and never connects.
 */
export function routeStatements(builder: postgres.Sql, run: (task: Task) => void): { sql: postgres.ISql; orm: Orm } {
  // A statement made by a connection has that connection's own handler. An empty one, which never runs, shows it.
  const handlers = new WeakMap<postgres.Sql, Statement['handler']>();
  const execute: Execute = (driver, statement) => {
    const own = handlers.get(driver) ?? (driver`` as unknown as Statement).handler;
    handlers.set(driver, own);
    own(statement);
  };
  const handler = (statement: Statement) => run(statementTask(statement, execute));
  const route = <T>(built: T): T => {
    if (isStatement(built)) built.handler = handler;
    return built;
  };
  const tag = (...given: Parameters<postgres.Sql>) => route(builder(...given));
  const { options, json, array, typed, types } = builder;
  const unsafe = (...given: Parameters<postgres.Sql['unsafe']>) => route(builder.unsafe(...given));
  const sql = Object.assign(tag, { options, json, array, typed, types, unsafe }) as unknown as postgres.Sql;
  return { sql, orm: createOrm(sql) };
}

const isStatement = (built: unknown): built is Statement =>
  typeof built === 'object' && built !== null && 'handler' in built;

type Execute = (driver: postgres.Sql, statement: Statement) => void;

function statementTask(statement: Statement, execute: Execute): Task {
  return {
    start(driver, done) {
      if (statement.cancelled) return done('unheard');
      const { resolve, reject } = statement;
      statement.resolve = (rows) => {
        resolve(rows);
        done('answered');
      };
      statement.reject = (error) => {
        reject(error);
        done(endOf(error));
      };
      execute(driver, statement);
    },
    fail: (error) => statement.reject(error),
  };
}

/** After FATAL the server closes the connection. An error that is not from the server may be of the connection. */
function endOf(error: Error): TaskEnd {
  if (!('severity' in error)) return 'broken';
  return error.severity === 'ERROR' ? 'answered' : 'broken';
}

/** Drizzle replaces the driver's conversion of dates. It can work with them, and our own SQL needs them. */
function createOrm(sql: postgres.Sql): Orm {
  const { parsers, serializers } = sql.options;
  const [parse, serialize] = [parsers[timestamptz], serializers[timestamptz]];
  const orm = drizzle(sql);
  Object.assign(parsers, { [timestamptz]: parse });
  Object.assign(serializers, { [timestamptz]: serialize });
  return orm;
}

/** The type's OID in pg_type. */
const timestamptz = 1184;

/** Gives a connection the conversions of the statements that it runs. */
export function shareConversions(builder: postgres.Sql, driver: postgres.Sql): postgres.Sql {
  Object.assign(driver.options.parsers, builder.options.parsers);
  Object.assign(driver.options.serializers, builder.options.serializers);
  return driver;
}

import { Problem } from '@holdfast/specs/public';

/** Faults of the connection, from Node and postgres.js. */
const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
]);

/** SQLSTATEs: class 08 connection exceptions, 53 lack of resources, 57P0x stopped, starting up or gone, 25006 read-only,
 * 57014 the statement's time was up. */
const unavailableState = /^(08...|53...|57P0[1-5]|57014|25006)$/;

/** Whether `error` says that the database cannot be reached or cannot serve now, so that a later try may succeed. */
export function databaseUnavailable(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    const { code, syscall } = cause as NodeJS.ErrnoException;
    // A file that is missing is ENOENT as well; only the socket's is the database's fault.
    if (code === 'ENOENT' && syscall !== 'connect') continue;
    if (typeof code === 'string' && (connectionCodes.has(code) || unavailableState.test(code))) return true;
  }
  return false;
}

/** What is to be thrown in place of `error`: the problem `database-unavailable` where it is that, else `error` itself. */
export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof Problem || !databaseUnavailable(error)) return error;
  return new Problem('database-unavailable', { retryAfterSeconds: 2, cause: error });
}

/** Whether the database will refuse the same values again: SQLSTATE classes 22 (data) and 23 (constraints). */
export function isPermanent(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if (/^2[23]...$/.test(String((cause as NodeJS.ErrnoException).code))) return true;
  }
  return false;
}

import { Problem } from '@holdfast/specs/public';

/** Faults of the connection, from Node, from postgres.js, and from `connections/`. */
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
  'CONNECTIONS_BUSY',
  'DATABASE_SILENT',
  'STATEMENT_UNANSWERED',
]);

/** SQLSTATEs: class 08 connection exceptions, 53 lack of resources, 57P0x stopped or starting, 25006 read-only, 57014 statement timeout. */
const unavailableState = /^(08...|53...|57P0[1-5]|57014|25006)$/;

/** Whether `error` says that the database cannot be reached or cannot serve now, so that a later try may succeed. */
export function databaseUnavailable(error: unknown): boolean {
  return causesOf(error).some((cause) => {
    const code = codeOf(cause);
    // A missing file is ENOENT as well; only a missing socket is a fault of the database.
    if (code === 'ENOENT' && (cause as NodeJS.ErrnoException).syscall !== 'connect') return false;
    return connectionCodes.has(code) || unavailableState.test(code);
  });
}

/** Whether a statement was cancelled, on request or by its deadline. */
export function wasCancelled(error: unknown): boolean {
  return causesOf(error).some((cause) => codeOf(cause) === '57014');
}

/** Translates an error that says so into the problem `database-unavailable`, and returns any other error unchanged. */
export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof Problem || !databaseUnavailable(error)) return error;
  return new Problem('database-unavailable', { retryAfterSeconds: 2, cause: error });
}

/** Whether the database will refuse the same values again: SQLSTATE classes 22 (data) and 23 (constraints). */
export function isPermanent(error: unknown): boolean {
  return causesOf(error).some((cause) => /^2[23]...$/.test(codeOf(cause)));
}

/** The error and its causes, five at most. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < 5; cause = cause.cause) causes.push(cause);
  return causes;
}

function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : '';
}

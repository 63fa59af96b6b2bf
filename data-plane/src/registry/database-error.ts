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

/** The driver refused the statement because we made it wrongly. */
const misuseCodes = new Set(['UNDEFINED_VALUE', 'MAX_PARAMETERS_EXCEEDED', 'NOT_TAGGED_CALL', 'UNSAFE_TRANSACTION']);

/**
 * SQLSTATEs that blame the statement or its values: class 21 cardinality, 22 data, 23 constraints, 42 syntax and names, 54 limits of the
 * program. A missing right (42501) is not among them: it is given or taken by the operator of the database.
 */
const faultyStatement = /^(?!42501)(21|22|23|42|54)...$/;

/** SQLSTATEs: class 28, the login was refused; 3D000, the database does not exist; 42501, a right is missing. */
const refusedLogin = /^(28...|3D000|42501)$/;

/** The driver's code for a server without TLS, and the codes of Node and OpenSSL for a certificate that is not accepted. */
const untrusted =
  /CERT|^(TLS_NOT_OFFERED|UNABLE_TO_VERIFY_LEAF_SIGNATURE|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/;

/** SQLSTATEs: class 22 data, 23 constraints, 54000 a row or value larger than Postgres stores. */
const impossibleRow = /^(22...|23...|54000)$/;

/**
 * Whether `error` says that the database cannot be reached or cannot serve now, so that a later try may succeed. That is so for every
 * failure of the database, known or unknown, unless it blames the statement.
 */
export function databaseUnavailable(error: unknown): boolean {
  return causesOf(error).some((cause) => {
    const code = codeOf(cause);
    if ('severity' in cause) return !faultyStatement.test(code);
    // A missing file is ENOENT as well; only a missing socket is a fault of the database.
    if (code === 'ENOENT' && (cause as NodeJS.ErrnoException).syscall !== 'connect') return false;
    return connectionCodes.has(code) || (isFromDriver(cause) && !isOurFault(cause));
  });
}

/** Whether a statement was cancelled, on request or by its deadline. */
export function wasCancelled(error: unknown): boolean {
  return causesOf(error).some((cause) => codeOf(cause) === '57014');
}

/** Whether the database refuses us until its operator changes something. It may be so for a moment while we run. */
export function databaseRefusesUs(error: unknown): boolean {
  return causesOf(error).some((cause) => 'severity' in cause && refusedLogin.test(codeOf(cause)));
}

/** Whether a session was to have a budget that has been deleted. */
export function isBudgetGone(error: unknown): boolean {
  return causesOf(error).some(
    (cause) => 'constraint_name' in cause && cause.constraint_name === 'sessions_budget_of_budgets_id_fk',
  );
}

/** Whether the role of the connection lacks a right. */
export function lacksRight(error: unknown): boolean {
  return causesOf(error).some((cause) => codeOf(cause) === '42501');
}

/** Whether we refuse the database: its URL demands TLS, and the server offers none or has a certificate that is not accepted. */
export function databaseUntrusted(error: unknown): boolean {
  return causesOf(error).some((cause) => !('severity' in cause) && untrusted.test(codeOf(cause)));
}

/** Translates an error that says so into the problem `database-unavailable`, and returns any other error unchanged. */
export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof Problem || !databaseUnavailable(error)) return error;
  return new Problem('database-unavailable', { retryAfterSeconds: 2, cause: error });
}

/**
 * Whether the registry can never hold these values: the database says so about them, or the driver cannot encode them. Any other error
 * may pass, even one that says that a table is missing.
 */
export function isRowImpossible(error: unknown): boolean {
  return causesOf(error).some((cause) =>
    'severity' in cause ? impossibleRow.test(codeOf(cause)) : isUnencodable(cause),
  );
}

/** The driver adds `query` to every error of a statement, and drizzle to its own error around that. */
const isFromDriver = (error: Error): boolean => 'query' in error && error.cause === undefined;

const isOurFault = (error: Error): boolean =>
  error instanceof TypeError || isUnencodable(error) || misuseCodes.has(codeOf(error));

/** An invalid `Date`, or more bytes than fit into a string or a message. */
const isUnencodable = (error: Error): boolean => error instanceof RangeError || codeOf(error) === 'ERR_STRING_TOO_LONG';

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

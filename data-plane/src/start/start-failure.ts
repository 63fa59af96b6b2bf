import { ConfigError } from '../config/parse-config.ts';
import { databaseUnavailable } from '../registry/database-error.ts';

type SystemError = NodeJS.ErrnoException & { address?: string; port?: number };

/** What an operator is told of a start that failed: a line where the cause is known, the whole error where it is not. */
export function startFailure(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const known = listenFailure(error) ?? databaseFailure(error) ?? dataDirFailure(error);
  if (known !== null) return known;
  const { code } = error as SystemError;
  return code === undefined && error.cause === undefined ? error.message : (error.stack ?? error.message);
}

function listenFailure({ code, syscall, address, port }: SystemError): string | null {
  if (syscall !== 'listen' || port === undefined) return null;
  if (code === 'EADDRINUSE') return `port ${port} on ${address} is in use; HOLDFAST_PORT moves it`;
  return `port ${port} on ${address} cannot be listened on (${code}); HOLDFAST_HOST and HOLDFAST_PORT move it`;
}

/** SQLSTATEs: class 28 a login that is refused, 3D000 a database that is not there, 42501 a right that is missing. */
const refusedState = /^(28...|3D000|42501)$/;

/** The error may lie below that of a library. Messages of the database name users and databases, never passwords. */
function databaseFailure(error: Error): string | null {
  const say = ({ message, code }: SystemError) => `(${message || code}); DATABASE_URL says where it is`;
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if (refusedState.test((cause as SystemError).code ?? '')) return `the database refuses us ${say(cause)}`;
    const below = cause.cause instanceof Error && databaseUnavailable(cause.cause);
    if (databaseUnavailable(cause) && !below) return `the database cannot be reached ${say(cause)}`;
  }
  return null;
}

/** Codes of places where no file can be made. A file that is only missing is not among them: it is ours to bring. */
const unusableCodes = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'EDQUOT',
  'ENOTDIR',
  'EEXIST',
  'ELOOP',
  'ENAMETOOLONG',
]);

function dataDirFailure({ code = '', path, syscall, message }: SystemError): string | null {
  if (path === undefined || syscall?.startsWith('spawn') || !unusableCodes.has(code)) return null;
  return `${message}; HOLDFAST_DATA_DIR says where the data directory is`;
}

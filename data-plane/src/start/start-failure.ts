import { ConfigError } from '../config/parse-config.ts';
import { databaseRefusesUs, databaseUnavailable, databaseUntrusted } from '../registry/database-error.ts';

type SystemError = NodeJS.ErrnoException & { address?: string; port?: number };

/**
 * Describes a failed start to the operator: in one line if the cause is known, else with the whole error.
 * @param urlSetting the setting whose URL the program connected to
 */
export function startFailure(error: unknown, urlSetting = 'DATABASE_URL'): string {
  if (error instanceof ConfigError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const known = listenFailure(error) ?? databaseFailure(error, urlSetting) ?? dataDirFailure(error);
  if (known !== null) return known;
  const { code } = error as SystemError;
  return code === undefined && error.cause === undefined ? error.message : (error.stack ?? error.message);
}

function listenFailure({ code, syscall, address, port }: SystemError): string | null {
  if (syscall !== 'listen' || port === undefined) return null;
  if (code === 'EADDRINUSE') return `port ${port} on ${address} is already in use; set HOLDFAST_PORT to choose another`;
  return `cannot listen on port ${port} of ${address} (${code}); set HOLDFAST_HOST or HOLDFAST_PORT to choose another`;
}

/** A library may have wrapped the error. The database's messages name users and databases, never passwords. */
function databaseFailure(error: Error, urlSetting: string): string | null {
  const say = ({ message, code }: SystemError) => `(${message || code}); check ${urlSetting}`;
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if (cause.cause instanceof Error && databaseUnavailable(cause.cause)) continue;
    if (databaseUntrusted(cause)) return untrustedDatabase(cause, urlSetting);
    if (databaseRefusesUs(cause)) return `the database refused the connection ${say(cause)}`;
    if (databaseUnavailable(cause)) return `the database cannot be reached ${say(cause)}`;
  }
  return null;
}

function untrustedDatabase({ message, code }: SystemError, urlSetting: string): string {
  const fault = code === 'TLS_NOT_OFFERED' ? 'the server offers no TLS, which its URL demands' : message;
  return `the database is not trusted (${fault}); check ${urlSetting}, its sslmode and its sslrootcert`;
}

/** Codes of directories in which no file can be created. A missing file of ours is a defect, and so ENOENT is not among them. */
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
  if (path === undefined || syscall?.startsWith('spawn')) return null;
  // A recursive mkdir reports a file system that is read-only, and a link that leads nowhere, as ENOENT.
  if (!unusableCodes.has(code) && !(code === 'ENOENT' && syscall === 'mkdir')) return null;
  return `${message}; set HOLDFAST_DATA_DIR to choose another data directory`;
}

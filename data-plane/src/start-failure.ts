import { ConfigError } from './config.ts';

/** What an operator is told of a start that failed: a line where the cause is known, the whole error where it is not. */
export function startFailure(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (syscall === 'listen' && port !== undefined) {
    if (code === 'EADDRINUSE') return `port ${port} on ${address} is in use; HOLDFAST_PORT moves it`;
    return `port ${port} on ${address} cannot be listened on (${code}); HOLDFAST_HOST and HOLDFAST_PORT move it`;
  }
  return code === undefined && error.cause === undefined ? error.message : (error.stack ?? error.message);
}

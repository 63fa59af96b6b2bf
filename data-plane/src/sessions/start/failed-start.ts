import { type EndReason, Problem } from '@holdfast/specs/public';
import { AgentError } from '../../agent/agent-error.ts';
import { databaseUnavailable } from '../../registry/database-error.ts';
import { SandboxError } from '../../runtimes/runtime.ts';

type Failure = { to: 'aborted' | 'failed'; reason: EndReason; message: string };
type FailedStart = { timeout: AbortSignal; stopped: AbortSignal; cause: unknown };

/** The end of a session whose start has failed. Pure. */
export function failureOf({ timeout, stopped, cause }: FailedStart): Failure {
  if (stopped.aborted) return { to: 'aborted', reason: 'data_plane_stopped', message: 'the data-plane was stopped' };
  const message = messageOf(cause).slice(0, 1000);
  if (cause instanceof SandboxError) return { to: 'failed', reason: cause.reason, message };
  return { to: 'failed', reason: timeout.aborted ? 'sandbox_start_timeout' : 'sandbox_start_failed', message };
}

/** For clients. A database's own message can have the statement and its values. */
function messageOf(cause: unknown): string {
  // A broken connection to an agent or a runtime has the same error codes as one to the database.
  const isOther = cause instanceof AgentError || cause instanceof SandboxError;
  if (!isOther && databaseUnavailable(cause)) return 'the database could not be reached';
  return cause instanceof Error ? cause.message : String(cause);
}

/** The answer to the client that waits for the start. Pure. */
export function failedStart(reason: EndReason, cause: unknown): Problem {
  const retryAfterSeconds = (cause instanceof SandboxError && cause.retryAfterSeconds) || 5;
  const detail = `the sandbox did not start: ${reason}`;
  return new Problem('sandbox-unreachable', { detail, endReason: reason, retryAfterSeconds, cause });
}

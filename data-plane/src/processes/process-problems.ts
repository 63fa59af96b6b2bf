import { Problem } from '@holdfast/specs/public';
import { AgentError } from '../agent/agent-error.ts';

export const endedProcess = (id: string) => new Problem('process-ended', { detail: `process ${id} has ended` });

export const notStartedYet = (id: string) =>
  new Problem('sandbox-unreachable', { detail: `process ${id} is on its way to its sandbox`, retryAfterSeconds: 1 });

export const isNotFound = (error: unknown): boolean => error instanceof Problem && error.slug === 'not-found';

/** The refusal as one of limits, if it comes from an agent of an earlier version, to which they are an unknown field of a request that is in order. */
export function refusalOfLimits(error: AgentError): AgentError {
  const isUnknown = error.slug === 'invalid-request' && error.faults?.some(({ pointer }) => pointer === '/limits');
  if (!isUnknown) return error;
  const detail = 'the sandbox of this session is from a version before processes had limits; start it without them';
  return new AgentError('refused', detail, { slug: 'unsupported-by-runtime', cause: error });
}

import { Problem, type RunStep } from '@holdfast/specs/public';

/**
 * A refusal of the agent, with the fields that the client gave. An agent is told the language of a default context, and refuses that; a client may have
 * named the context alone. Any other error is returned unchanged. Pure.
 */
export function asAsked(error: unknown, { contextId }: Pick<RunStep, 'contextId'>): unknown {
  if (contextId === undefined || !(error instanceof Problem)) return error;
  const { slug, options } = error;
  if (!options.errors?.some(({ pointer }) => pointer === '/language')) return error;
  const errors = options.errors.map((fault) =>
    fault.pointer === '/language' ? { ...fault, pointer: '/contextId' } : fault,
  );
  return new Problem(slug, { ...options, errors });
}

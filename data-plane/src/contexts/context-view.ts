import type { AgentContext } from '@holdfast/specs/agent';
import type { Context } from '@holdfast/specs/public';
import { isDefaultContext } from './context-languages.ts';

/** The public context. Pure. */
export function contextView({ contextId, ...context }: AgentContext, createdAt: Date): Context {
  return {
    id: contextId,
    language: context.language,
    isDefault: isDefaultContext(contextId),
    contextEpoch: context.contextEpoch,
    state: context.state,
    cwd: context.cwd,
    createdAt: createdAt.toISOString(),
  };
}

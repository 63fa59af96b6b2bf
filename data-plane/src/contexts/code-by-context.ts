import type { AgentContext } from '@holdfast/specs/agent';
import type { SessionContext } from '@holdfast/specs/public';
import type { SucceededCode } from '../registry/steps/list-succeeded-code.ts';
import { isDefaultContext } from './context-languages.ts';

type RanCode = Pick<SucceededCode, 'contextId' | 'contextEpoch' | 'code'>;

/**
 * The code that made the state of each live context: one entry per context, so code of different languages is never mixed. `steps` come
 * in the order in which the kernels ran them. Code that ran before a context was reset is left out, because its state is gone. Default
 * contexts come first, by name, then the others from the oldest to the newest. Pure.
 */
export function codeByContext(
  steps: readonly RanCode[],
  contexts: readonly AgentContext[],
): SessionContext['contexts'] {
  // An agent may list a context twice; its code must not be repeated.
  const live = [...new Map(contexts.map((context) => [context.contextId, context])).values()].sort(byKindThenId);
  const stepsOf = Map.groupBy(steps, ({ contextId }) => contextId);
  return live.map(({ contextId, contextEpoch, language }) => {
    const ran = (stepsOf.get(contextId) ?? []).filter((step) => step.contextEpoch === contextEpoch);
    return { contextId, language, combinedCode: ran.map(({ code }) => code.trimEnd()).join('\n\n') };
  });
}

/** Ids of contexts that clients created sort by age. */
function byKindThenId({ contextId: a }: AgentContext, { contextId: b }: AgentContext): number {
  return Number(isDefaultContext(b)) - Number(isDefaultContext(a)) || (a < b ? -1 : 1);
}

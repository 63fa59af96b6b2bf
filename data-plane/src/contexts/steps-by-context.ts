import type { AgentContext } from '@holdfast/specs/agent';
import type { SucceededStep } from '../registry/steps/list-succeeded-steps.ts';
import { isDefaultContext } from './context-languages.ts';

type RanStep = Pick<SucceededStep, 'contextId' | 'contextEpoch'>;

/** A live context with the steps whose code made its state. */
type RanContext<Ran> = Pick<AgentContext, 'contextId' | 'language'> & { ran: Ran[] };

/**
 * The steps that made the state of each live context, so code of different languages is never mixed. They come in the order in which
 * the kernels ran them. Steps that ran before a context was reset are left out, because their state is gone. Default contexts come
 * first, by name, then the others from the oldest to the newest. Pure.
 */
export function stepsByContext<Ran extends RanStep>(
  steps: readonly Ran[],
  contexts: readonly AgentContext[],
): RanContext<Ran>[] {
  // An agent may list a context twice; its code must not be repeated.
  const live = [...new Map(contexts.map((context) => [context.contextId, context])).values()].sort(byKindThenId);
  const stepsOf = Map.groupBy(steps, ({ contextId }) => contextId);
  return live.map(({ contextId, contextEpoch, language }) => {
    const ran = (stepsOf.get(contextId) ?? []).filter((step) => step.contextEpoch === contextEpoch);
    return { contextId, language, ran };
  });
}

/** Ids of contexts that clients created sort by age. */
function byKindThenId({ contextId: a }: AgentContext, { contextId: b }: AgentContext): number {
  return Number(isDefaultContext(b)) - Number(isDefaultContext(a)) || (a < b ? -1 : 1);
}

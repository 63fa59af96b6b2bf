import type { Step, StepEvent } from '../generated/api.ts';
import { answerOf, type CallOptions } from '../http/create-api.ts';
import { paged } from '../http/paged.ts';
import { type FinishedStep, finished, type RunOptions, type StepTarget, waitForStep } from './run-step.ts';
import { followStep } from './stream-step.ts';

/** The history of a session, and the steps that run. */
export type Steps = ReturnType<typeof createSteps>;

export function createSteps(target: StepTarget) {
  const { connection, sessionId } = target;
  const { api } = connection;
  const get = async (stepId: string, { signal }: CallOptions = {}): Promise<Step> => {
    const params = { path: { sessionId, stepId } };
    return await answerOf(api.GET('/v1/sessions/{sessionId}/steps/{stepId}', { params, ...(signal && { signal }) }));
  };
  return {
    /** A step as it is now. */
    get,

    /** The steps by number; with `order: 'desc'` the latest first. */
    list({ order, signal }: CallOptions & { order?: 'asc' | 'desc' } = {}): AsyncGenerator<Step, void, undefined> {
      return paged((cursor) =>
        answerOf(
          api.GET('/v1/sessions/{sessionId}/steps', {
            params: { path: { sessionId }, query: { ...cursor, ...(order && { order }) } },
            ...(signal && { signal }),
          }),
        ),
      );
    },

    /** Waits for the end of a step that someone has started, or, without `input`, until its code asks for input. */
    async wait(stepId: string, options: Pick<RunOptions, 'input' | 'signal'> = {}): Promise<FinishedStep> {
      return finished(await waitForStep(target, await get(stepId, options), options));
    },

    /** The events of a step behind `after`, recorded ones first, as they happen. */
    follow(
      stepId: string,
      { after = 0, signal }: CallOptions & { after?: number } = {},
    ): AsyncGenerator<StepEvent, void, undefined> {
      return followStep(connection, { sessionId, stepId, after }, signal);
    },

    /** Interrupts a step that runs, as Ctrl-C does; its end comes with `wait` or `follow`. */
    async interrupt(stepId: string, { signal }: CallOptions = {}): Promise<Step> {
      return await answerOf(
        api.POST('/v1/sessions/{sessionId}/steps/{stepId}/interrupt', {
          params: { path: { sessionId, stepId } },
          ...(signal && { signal }),
        }),
      );
    },
  };
}

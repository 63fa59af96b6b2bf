import { type FollowDependencies, followKnownStep } from '../steps/follow-step.ts';
import type { LiveStep } from '../steps/live-step.ts';

type StepKey = { sessionId: string; stepId: string };

/** A step that one reader follows. */
export type JoinedStep = { live: LiveStep; leave(): void };

type Shared = { live: Promise<LiveStep>; readers: number };

export type SharedSteps = ReturnType<typeof createSharedSteps>;

/** The unfinished steps that readers of whole sessions follow: each is read from its agent once, however many readers it has here. */
export function createSharedSteps(deps: FollowDependencies) {
  const shared = new Map<string, Shared>();

  async function follow(key: StepKey): Promise<LiveStep> {
    const live = await followKnownStep(deps, key);
    if (live.finished) shared.delete(key.stepId);
    else forgetAtEnd(key.stepId, live);
    return live;
  }

  /** Later readers look for the step anew. */
  function forgetAtEnd(stepId: string, live: LiveStep): void {
    const unsubscribe = live.subscribe(() => {
      if (!live.finished && !live.failure) return;
      shared.delete(stepId);
      unsubscribe();
    });
  }

  return {
    /** @throws Problem 404 if the step was withdrawn or purged */
    async join(key: StepKey): Promise<JoinedStep> {
      const { stepId } = key;
      const step = shared.get(stepId) ?? { live: follow(key), readers: 0 };
      shared.set(stepId, step);
      step.readers++;
      let hasLeft = false;
      const leave = (live: LiveStep | null) => {
        if (hasLeft) return;
        hasLeft = true;
        step.readers--;
        if (step.readers > 0) return;
        if (shared.get(stepId) === step) shared.delete(stepId);
        live?.disconnected();
      };
      try {
        const live = await step.live;
        return { live, leave: () => leave(live) };
      } catch (error) {
        leave(null);
        throw error;
      }
    },
  };
}

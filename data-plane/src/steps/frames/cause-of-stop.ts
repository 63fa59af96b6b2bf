import { setTimeout as delay } from 'node:timers/promises';
import { type Cause, Problem, sandboxEnds } from '@holdfast/specs/public';
import type { Route, Routes } from '../../sessions/sandbox-routes.ts';
import type { StepEnd } from '../intent-and-end.ts';

type StopDependencies = {
  routes: Pick<Routes, 'refresh'>;
  hint(sessionId: string): void;
};

const looks = 50;
const betweenLooksMs = 100;

/**
 * The end of a step as its agent has told it, with the cause that the agent cannot know: one that is told to stop says `session_ended`,
 * also where nobody here has ended the session and its sandbox was evicted or deleted. Then the session's end, once there is one, is
 * the cause; an agent that stopped for no reason keeps its own words.
 */
export async function withCauseOfStop<End extends StepEnd>(
  { routes, hint }: StopDependencies,
  { route, end }: { route: Route; end: End },
): Promise<End> {
  if (end.cause?.code !== 'session_ended') return end;
  for (let look = 0; look < looks; look++) {
    hint(route.sessionId);
    try {
      await routes.refresh(route);
    } catch (error) {
      if (error instanceof Problem) return { ...end, cause: causeFrom(error) ?? end.cause };
    }
    await delay(betweenLooksMs);
  }
  return end;
}

function causeFrom({ options }: Problem): Cause | null {
  const code = sandboxEnds.find((one) => one === options.endReason);
  return code ? { code } : null;
}

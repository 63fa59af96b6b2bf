import { setTimeout as delay } from 'node:timers/promises';
import { type Cause, Problem, sandboxEnds } from '@holdfast/specs/public';
import type { Route, Routes } from '../../sessions/sandbox-routes.ts';
import type { StepEnd } from './judge-cut.ts';

type StopDependencies = {
  routes: Pick<Routes, 'refresh'>;
  hint(sessionId: string): void;
};

const triesMax = 50;
const retryMs = 100;

/**
 * Adds to an end that the agent reported the cause that the agent cannot know. An agent that is told to stop reports `session_ended`,
 * even if its sandbox was evicted or deleted while the session was active. In that case the reason for which the session then ends
 * becomes the cause. If the session does not end within 5 s, the agent's own cause stays.
 */
export function withCauseOfStop<End extends StepEnd>(
  deps: StopDependencies,
  stopped: { route: Route; end: End },
): End | Promise<End> {
  return stopped.end.cause?.code === 'session_ended' ? askForCause(deps, stopped) : stopped.end;
}

async function askForCause<End extends StepEnd>(
  { routes, hint }: StopDependencies,
  { route, end }: { route: Route; end: End },
): Promise<End> {
  for (let tried = 0; tried < triesMax; tried++) {
    hint(route.sessionId);
    try {
      await routes.refresh(route);
    } catch (error) {
      if (error instanceof Problem) return { ...end, cause: causeFrom(error) ?? end.cause };
    }
    await delay(retryMs);
  }
  return end;
}

function causeFrom({ options }: Problem): Cause | null {
  const code = sandboxEnds.find((one) => one === options.endReason);
  return code ? { code } : null;
}

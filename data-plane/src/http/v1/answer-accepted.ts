import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { isLong } from '../../reading/json-slices.ts';
import type { LiveStep } from '../../steps/live-step.ts';
import { answerJson } from '../edge/answer-json.ts';
import { type EdgeContext, setAnswerHeader } from '../edge/edge.ts';
import { leaving } from '../edge/leaving.ts';
import { noteStep, type View } from './answer-step.ts';
import type { V1 } from './verbs.ts';

type Accepted = {
  live: LiveStep;
  /** The address at which it can be read. */
  location: string;
  view?: View;
};

/** Answers 202 with a step or job as it is, as soon as the registry has it. */
export async function answerAccepted(
  edge: Pick<V1, 'verbs' | 'log'>,
  c: EdgeContext,
  { live, location, view = async (step) => step }: Accepted,
): Promise<Response> {
  noteStep(c, live);
  const signal = leaving(c);
  await untilShown(live, signal);
  if (signal.aborted) {
    live.disconnected();
    c.get('event').disconnected = true;
    return RESPONSE_ALREADY_SENT;
  }
  live.answered();
  const { sessionId, id: stepId } = live;
  const step = await edge.verbs.getStep({ caller: c.get('caller'), sessionId, stepId });
  setAnswerHeader(c, 'Location', location);
  if (isLong(step)) {
    return await answerJson(edge, c, { isLong: true, open: async (reader) => view(await step.open(reader)) }, 202);
  }
  return c.body(JSON.stringify(await view(step)), 202, { 'Content-Type': 'application/json' });
}

/** Resolves when clients may see the step, or this one has left. */
function untilShown(live: LiveStep, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (live.failure) reject(live.failure);
      else if (live.frames.length === 0 && !live.finished && !signal.aborted) return;
      unsubscribe();
      signal.removeEventListener('abort', look);
      resolve();
    };
    const unsubscribe = live.subscribe(look);
    signal.addEventListener('abort', look);
    live.watched();
    look();
  });
}

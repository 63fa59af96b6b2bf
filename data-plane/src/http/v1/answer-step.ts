import type { ServerResponse } from 'node:http';
import type { Step } from '@holdfast/specs/public';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { isLong, jsonParts } from '../../reading/json-slices.ts';
import type { LiveStep } from '../../steps/live-step.ts';
import type { OpenedStep } from '../../steps/long-step.ts';
import type { StepAnswer } from '../../steps/step-from-row.ts';
import { answerJson } from '../edge/answer-json.ts';
import type { EdgeContext } from '../edge/edge.ts';
import { createNeedWatch } from './need-watch.ts';
import type { V1, Verbs } from './verbs.ts';

/** The form in which the client gets the step. */
export type View = (step: Step | OpenedStep) => Promise<object>;

/** How long a client waits at most, the answer that it gets then, and the operation behind which it waits for the next. */
type Limit = { waitMs: number; otherwise: () => Promise<StepAnswer>; after?: string | undefined };

/**
 * Waits until a step has ended or needs something from its client, and answers the step as it is then, in the form that `view` gives it.
 * The answer is written past hono, which would build a Response first.
 */
export async function answerStep(
  edge: Pick<V1, 'verbs' | 'log'>,
  c: EdgeContext,
  { live, limit, view }: { live: LiveStep; limit?: Limit; view?: View },
): Promise<Response> {
  const outgoing = c.env?.outgoing;
  const step = live.finished ?? (await endOrNeed(edge.verbs, { live, limit, outgoing }));
  if (!step) {
    c.get('event').disconnected = true;
    return RESPONSE_ALREADY_SENT;
  }
  if (isLong(step)) {
    const whole = outgoing && step.whole();
    if (whole) return answerWhole(outgoing, view ? await view(whole) : whole);
    const viewed = view ?? (async (opened: OpenedStep) => opened);
    return await answerJson(edge, c, { isLong: true, open: async (reader) => viewed(await step.open(reader)) });
  }
  const json = JSON.stringify(view ? await view(step) : step);
  if (!outgoing) return c.body(json, 200, { 'Content-Type': 'application/json' });
  outgoing.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) });
  outgoing.end(json);
  return RESPONSE_ALREADY_SENT;
}

/** Writes all of an answer at once, each part from its own memory. */
function answerWhole(outgoing: ServerResponse, step: object): Response {
  const parts = jsonParts(step);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  outgoing.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': length });
  outgoing.socket?.cork();
  for (const part of parts) outgoing.write(part);
  outgoing.end();
  outgoing.socket?.uncork();
  return RESPONSE_ALREADY_SENT;
}

/** Adds the step to the request's event. */
export function noteStep(c: EdgeContext, live: LiveStep): void {
  const event = c.get('event');
  event.sessionId = live.sessionId;
  event.stepId = live.id;
}

type Waiting = { live: LiveStep; limit: Limit | undefined; outgoing: ServerResponse | undefined };

/** The step, or null if the client went away first. */
function endOrNeed(
  verbs: Pick<Verbs, 'findWaitingStep'>,
  { live, limit, outgoing }: Waiting,
): Promise<StepAnswer | null> {
  return new Promise((resolve, reject) => {
    let checkNeed: (() => void) | null = null;
    const stopWaiting = () => {
      unsubscribe();
      clearTimeout(timer);
      outgoing?.off('close', onClose);
    };
    const settle = (step: StepAnswer) => {
      stopWaiting();
      resolve(step);
      if (!live.finished) live.answered();
    };
    const fail = (error: unknown) => {
      stopWaiting();
      reject(error);
      live.answered();
    };
    const onClose = () => {
      stopWaiting();
      resolve(null);
      live.disconnected();
    };
    const onChange = () => {
      if (live.finished) return settle(live.finished);
      if (live.failure) return fail(live.failure);
      if (!live.request) return;
      checkNeed ??= createNeedWatch(verbs, { live, after: limit?.after, onNeed: settle, onError: fail });
      checkNeed();
    };
    const unsubscribe = live.subscribe(onChange);
    const timer = limit && setTimeout(() => void limit.otherwise().then(settle, fail), limit.waitMs);
    outgoing?.on('close', onClose);
    onChange();
    if (!live.finished && outgoing?.destroyed) onClose();
  });
}

import type { ServerResponse } from 'node:http';
import type { Step } from '@holdfast/specs';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { EdgeContext } from './edge.ts';
import type { LiveStep } from './verbs.ts';

/** Waits for the end of a step and answers it, written past hono, which would make a Response of it first. */
export async function answerStep(c: EdgeContext, live: LiveStep): Promise<Response> {
  const outgoing = c.env?.outgoing;
  const step = live.finished ?? (await endOf(live, outgoing));
  if (!step) {
    c.get('event').disconnected = true;
    return RESPONSE_ALREADY_SENT;
  }
  const json = JSON.stringify(step);
  if (!outgoing) return c.body(json, 200, { 'Content-Type': 'application/json' });
  outgoing.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) });
  outgoing.end(json);
  return RESPONSE_ALREADY_SENT;
}

/** Null where the client went away first. */
function endOf(live: LiveStep, outgoing: ServerResponse | undefined): Promise<Step | null> {
  return new Promise((resolve) => {
    const settle = (step: Step | null) => {
      unsubscribe();
      outgoing?.off('close', onClose);
      resolve(step);
    };
    const onClose = () => {
      settle(null);
      live.disconnected();
    };
    const unsubscribe = live.subscribe(() => {
      if (live.finished) settle(live.finished);
    });
    outgoing?.once('close', onClose);
    if (live.finished) settle(live.finished);
    else if (outgoing?.destroyed) onClose();
  });
}

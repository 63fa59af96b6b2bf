import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { isLong } from '../../../reading/json-slices.ts';
import type { LiveStep } from '../../../steps/live-step.ts';
import type { LongStep } from '../../../steps/long-step.ts';
import { inChunks } from '../../edge/answer-json.ts';
import { asProblem } from '../../edge/answer-problem.ts';
import type { Edge, RequestEvent } from '../../edge/edge.ts';
import { type EventFormat, lineOf, withOutput } from './event-format.ts';
import { createEventRenderer } from './event-renderer.ts';
import { longEvents } from './long-events.ts';

/** About the most text, in characters, that is written at once, and so waits in memory for a slow client. */
const chunkLength = 65_536;

type Input = {
  live: LiveStep;
  tenant: string;
  format: EventFormat;
  after: number;
  isBrief: boolean;
  requestId: string;
  event: RequestEvent;
};

/**
 * Writes the events of a step with a seq above `after` as they come, with the head before the first of them. Resolves when the answer
 * has ended or the client is gone. Never rejects: after the head, an error can only be written into the stream.
 */
export function streamEvents(
  { heartbeatMs, log }: Pick<Edge, 'heartbeatMs' | 'log'>,
  outgoing: ServerResponse,
  { live, tenant, format, after, isBrief, requestId, event }: Input,
): Promise<void> {
  const render = createEventRenderer(live, { isBrief });
  let cursor = 0;
  /** The client has to catch up, or the rest of the stream is written elsewhere. */
  let isBlocked = false;
  outgoing.statusCode = 200;
  outgoing.setHeader('Content-Type', format.contentType);
  outgoing.setHeader('X-Accel-Buffering', 'no');

  return new Promise((resolve) => {
    /** Writes until nothing is left or the client has to catch up. */
    const pump = () => {
      if (isBlocked || outgoing.writableEnded) return;
      try {
        let chunk = '';
        while (cursor < live.frames.length) {
          const rendered = render.frame(live.frames[cursor++] as Buffer);
          if (rendered.seq <= after) continue;
          let isTaken = true;
          if ('text' in rendered) {
            isTaken = outgoing.write(withOutput(chunk, rendered, format));
            chunk = '';
          } else chunk += lineOf(rendered, format);
          if (chunk.length >= chunkLength) {
            isTaken = outgoing.write(chunk);
            chunk = '';
          }
          if (isTaken) continue;
          isBlocked = true;
          return;
        }
        if (live.finished && isLong(live.finished)) {
          if (chunk) outgoing.write(chunk);
          isBlocked = true;
          void sendLong(live.finished);
        } else if (live.finished) {
          const last = render.finished(live.finished);
          outgoing.end(last.seq > after ? chunk + lineOf(last, format) : chunk);
          isBlocked = true;
        } else if (chunk && !outgoing.write(chunk)) isBlocked = true;
        else if (live.failure) fail(live.failure);
      } catch (error) {
        fail(error);
      }
    };
    const over = new AbortController();
    const sendLong = async (end: LongStep) => {
      outgoing.off('drain', onDrain);
      const { signal } = over;
      let isBegun = false;
      try {
        for await (const chunk of inChunks(longEvents(render, { end, format, after, reader: { tenant, signal } }))) {
          isBegun = true;
          if (!outgoing.write(chunk)) await once(outgoing, 'drain', { signal });
        }
        outgoing.end();
      } catch (error) {
        if (!isBegun) return fail(error);
        // An event may be written in part, and nothing can be said in the middle of it.
        if (!signal.aborted) log.error({ requestId, stepId: live.id, err: error }, 'a stream of events was broken off');
        outgoing.destroy();
      }
    };
    const fail = (error: unknown) => {
      if (outgoing.destroyed) return;
      log.error({ requestId, stepId: live.id, err: error }, 'a stream of events failed');
      event.problem = asProblem(error).slug;
      outgoing.end(format.failure(JSON.stringify(asProblem(error).body(requestId))));
      isBlocked = true;
    };
    const onDrain = () => {
      isBlocked = false;
      pump();
    };
    const beat = () => {
      if (isBlocked) return;
      if (!outgoing.write(format.heartbeat)) isBlocked = true;
    };
    const onClose = () => {
      clearInterval(timer);
      unsubscribe();
      over.abort();
      if (!outgoing.writableFinished) {
        event.disconnected = true;
        live.disconnected();
      }
      resolve();
    };
    const timer = setInterval(beat, heartbeatMs);
    const unsubscribe = live.subscribe(pump);
    live.watched();
    outgoing.on('drain', onDrain).once('close', onClose);
    if (outgoing.closed || outgoing.destroyed) onClose();
    else pump();
  });
}

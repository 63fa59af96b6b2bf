import type { ServerResponse } from 'node:http';
import type { LiveStep } from '../../steps/live-step.ts';
import { asProblem } from '../edge/answer-problem.ts';
import type { Edge, RequestEvent } from '../edge/edge.ts';
import type { EventFormat } from './event-format.ts';
import { createEventRenderer } from './event-renderer.ts';

/** About the most text, in characters, that is written at once, and so waits in memory for a slow client. */
const chunkLength = 65_536;

type Input = { live: LiveStep; format: EventFormat; after: number; requestId: string; event: RequestEvent };

/**
 * Writes the events of a step with a seq above `after` as they come, with the head before the first of them. Resolves when the answer
 * has ended or the client is gone. Never rejects: after the head, an error can only be written into the stream.
 */
export function streamEvents(
  { heartbeatMs, stalledReaderMs, log }: Pick<Edge, 'heartbeatMs' | 'stalledReaderMs' | 'log'>,
  outgoing: ServerResponse,
  { live, format, after, requestId, event }: Input,
): Promise<void> {
  const render = createEventRenderer(live);
  let cursor = 0;
  /** Since when bytes wait for the client, in the clock of `performance`. */
  let blockedSince: number | null = null;
  outgoing.statusCode = 200;
  outgoing.setHeader('Content-Type', format.contentType);
  outgoing.setHeader('X-Accel-Buffering', 'no');

  return new Promise((resolve) => {
    /** Writes until nothing is left or the client has to catch up. */
    const pump = () => {
      if (blockedSince !== null || outgoing.writableEnded) return;
      try {
        let chunk = '';
        while (cursor < live.frames.length) {
          const rendered = render.frame(live.frames[cursor++] as Buffer);
          if (rendered.seq > after) chunk += format.line(rendered);
          if (chunk.length >= chunkLength) {
            if (!outgoing.write(chunk)) {
              blockedSince = performance.now();
              return;
            }
            chunk = '';
          }
        }
        if (live.finished) {
          const last = render.finished(live.finished);
          outgoing.end(last.seq > after ? chunk + format.line(last) : chunk);
          blockedSince = performance.now();
        } else if (chunk && !outgoing.write(chunk)) blockedSince = performance.now();
        else if (live.failure) fail(live.failure);
      } catch (error) {
        fail(error);
      }
    };
    const fail = (error: unknown) => {
      log.error({ requestId, stepId: live.id, err: error }, 'a stream of events failed');
      const problem = asProblem(error);
      event.problem = problem.slug;
      outgoing.end(format.failure(JSON.stringify(problem.body(requestId))));
      blockedSince = performance.now();
    };
    const onDrain = () => {
      blockedSince = null;
      pump();
    };
    const beat = () => {
      if (blockedSince === null) {
        if (!format.heartbeat) outgoing.flushHeaders();
        else if (!outgoing.write(format.heartbeat)) blockedSince = performance.now();
      } else if (performance.now() - blockedSince > stalledReaderMs) {
        event.stalledReader = true;
        outgoing.destroy();
      }
    };
    const onClose = () => {
      clearInterval(timer);
      unsubscribe();
      if (!outgoing.writableFinished) {
        event.disconnected = true;
        live.disconnected();
      }
      resolve();
    };
    const timer = setInterval(beat, heartbeatMs);
    const unsubscribe = live.subscribe(pump);
    outgoing.on('drain', onDrain).once('close', onClose);
    if (outgoing.closed || outgoing.destroyed) onClose();
    else pump();
  });
}

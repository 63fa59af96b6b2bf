import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { LiveStep } from '../../steps/live-step.ts';
import type { Edge, EdgeContext } from '../edge/edge.ts';
import type { EventFormat } from './event-format.ts';
import { streamEvents } from './stream-events.ts';

/** Answers the events of a step with a seq above `after` as they come; 204 if it has ended and there are none. */
export async function answerEvents(
  edge: Pick<Edge, 'heartbeatMs' | 'stalledReaderMs' | 'log'>,
  c: EdgeContext,
  { live, format, after }: { live: LiveStep; format: EventFormat; after: number },
): Promise<Response> {
  const outgoing = c.env?.outgoing;
  if (!outgoing) throw new Error('events can only be streamed by a server');
  if (live.finished && after > lastFrameSeq(live)) return c.body(null, 204);
  if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': format.contentType });
  await streamEvents(edge, outgoing, { live, format, after, requestId: c.get('requestId'), event: c.get('event') });
  return RESPONSE_ALREADY_SENT;
}

/** The seq of `finished` is one more. */
const lastFrameSeq = (live: LiveStep) => live.frames.at(-1)?.readUInt32BE(4) ?? 0;

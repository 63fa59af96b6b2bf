import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { isLong } from '../../../reading/json-slices.ts';
import type { LiveStep } from '../../../steps/live-step.ts';
import type { LongStep } from '../../../steps/long-step.ts';
import type { Edge, EdgeContext } from '../../edge/edge.ts';
import type { EventFormat } from './event-format.ts';
import { lostEndSeq } from './event-renderer.ts';
import { streamEvents } from './stream-events.ts';

/** Answers the events of a step with a seq above `after` as they come; 204 if it has ended and there are none. */
export async function answerEvents(
  edge: Pick<Edge, 'heartbeatMs' | 'log'>,
  c: EdgeContext,
  { live, format, after, isBrief = false }: { live: LiveStep; format: EventFormat; after: number; isBrief?: boolean },
): Promise<Response> {
  const outgoing = c.env?.outgoing;
  if (!outgoing) throw new Error('events can only be streamed by a server');
  const { tenant } = c.get('caller');
  if (live.finished && after > 0 && after >= (await endSeq(live, { tenant, outgoing }))) return c.body(null, 204);
  if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': format.contentType });
  const { requestId, event } = c.var;
  await streamEvents(edge, outgoing, { live, tenant, format, after, isBrief, requestId, event });
  return RESPONSE_ALREADY_SENT;
}

/** The seq of `finished`. */
async function endSeq(
  { finished, frames }: LiveStep,
  { tenant, outgoing }: { tenant: string; outgoing: ServerResponse },
): Promise<number> {
  if (finished?.status === 'lost') return lostEndSeq;
  const known = (frames.at(-1)?.readUInt32BE(4) ?? 0) + 1;
  if (!finished || !isLong(finished)) return known;
  const left = new AbortController();
  const onClose = () => left.abort();
  outgoing.once('close', onClose);
  try {
    const { lastSeq } = await (finished as LongStep).measure({ tenant, signal: left.signal });
    return Math.max(known, lastSeq + 1);
  } finally {
    outgoing.off('close', onClose);
    left.abort();
  }
}

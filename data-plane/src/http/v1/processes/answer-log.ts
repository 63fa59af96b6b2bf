import { setTimeout as delay } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { ProcessKey } from '../../../processes/find-known-process.ts';
import { endOf, type FollowedLog } from '../../../processes/log/follow-log.ts';
import type { EdgeContext } from '../../edge/edge.ts';
import { type EventFormat, lineOf } from '../events/event-format.ts';
import type { SessionChunk } from '../events/session-chunks.ts';
import { streamSession } from '../events/stream-session.ts';
import type { V1 } from '../verbs.ts';
import { createPieceRenderer } from './piece-renderer.ts';

type Asked = { key: ProcessKey; after: number; format: EventFormat };

/** Answers the events of a process behind a place as they come; 204 if it has ended and there are none. */
export async function answerLog(edge: V1, c: EdgeContext, { key, after, format }: Asked): Promise<Response> {
  const outgoing = c.env?.outgoing;
  if (!outgoing) throw new Error('events can only be streamed by a server');
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const { signal } = gone;
  const { row, pieces } = await edge.verbs.followProcess({ ...key, after, signal });
  if (row.finishedAt && after >= endOf(row)) return c.body(null, 204);
  if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': format.contentType });
  const chunks = chunksOf({ key, pieces, format, quietMs: edge.heartbeatMs });
  const { requestId, event } = c.var;
  await streamSession(edge, outgoing, { chunks, format, signal, requestId, event });
  return RESPONSE_ALREADY_SENT;
}

type Rendering = { key: ProcessKey; pieces: FollowedLog['pieces']; format: EventFormat; quietMs: number };

async function* chunksOf({ key, pieces, format, quietMs }: Rendering): AsyncGenerator<SessionChunk, void, undefined> {
  const render = createPieceRenderer(key);
  try {
    for (let next = pieces.next(); ; next = pieces.next()) {
      yield* heartbeats(next, { format, quietMs });
      const { value: piece, done } = await next;
      if (done) return;
      let text = '';
      for (const { type, seq, ...event } of render(piece))
        text += lineOf({ type, seq, id: seq, json: JSON.stringify({ type, seq, ...event }) }, format);
      if (text) yield { text, isWhole: true };
    }
  } finally {
    // A client may leave while it is sent something. Then nothing else ends what was read for it.
    await pieces.return();
  }
}

/** A heartbeat now and then, until the next piece is there. */
async function* heartbeats(
  next: Promise<unknown>,
  { format, quietMs }: Pick<Rendering, 'format' | 'quietMs'>,
): AsyncGenerator<SessionChunk, void, undefined> {
  const come = new AbortController();
  const onCome = () => come.abort();
  next.then(onCome, onCome);
  while (!come.signal.aborted) {
    await delay(quietMs, undefined, { signal: come.signal }).catch(() => {});
    if (!come.signal.aborted) yield { text: format.heartbeat, isWhole: true };
  }
}

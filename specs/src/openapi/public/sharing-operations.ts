import * as z from 'zod';
import { sessionEventSchema } from '../../public/event.ts';
import { followSessionQuerySchema, sessionCursorSchema } from '../../public/request.ts';
import { createdShareSchema, createShareSchema, shareSchema } from '../../public/share.ts';
import { page } from '../../public/values/page.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { created, json, nothing } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { idempotencyHeaders, pageQuery } from '../parts/parameters.ts';
import { sessionPath, sharePath } from '../parts/path-parameters.ts';
import { keyOrShareSchemes, keySchemes } from '../parts/security.ts';

const tag = 'Sharing';
const known: readonly ProblemSlug[] = ['forbidden', 'not-found', 'session-ended', 'database-unavailable'];

const event = { ...examples.events[1], cursor: 'Mi4xMDA0LjItMg' };
const share = {
  id: examples.shareId,
  sessionId: examples.sessionId,
  access: 'run',
  name: 'Ada',
  createdAt: examples.time(9),
  expiresAt: '2026-01-15T11:00:09.000Z',
  revokedAt: null,
};
const token = 'hfs_01kaf45m6n7p8q9r0s1t2v3w4x_LPJNul-wow4m6DsqxbninshWHlwfp0JecwQzYpOLmCQ';

/** An agent and people in one session: what happens there, and links for people without a key. */
export const sharingOperations: Operation[] = [
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/events',
    operationId: 'followSession',
    tag,
    security: keyOrShareSchemes,
    summary: 'Follow everything that happens in a session',
    description:
      'The events of all steps, of every actor and on every server, and a `session` event for every other entry of the audit log, such as a change of the status. First comes what is recorded, then what happens. The order is exact within a step; events of different steps may be mixed. Each event has a `cursor`, which is also the id of a server-sent event: with it the stream goes on behind that event, without a gap and without a repeat. The stream ends when the session has ended; after its last event the answer is 204.',
    params: sessionPath,
    query: z.object(followSessionQuerySchema.shape),
    headers: z.object({
      'Last-Event-ID': sessionCursorSchema.optional().meta({
        description: 'Sent by an EventSource that reconnects; same meaning as `after` and overrides it',
        example: event.cursor,
      }),
    }),
    answers: {
      200: {
        description: 'The events. Server-sent events unless `Accept` asks for `application/x-ndjson`',
        content: {
          'text/event-stream': {
            schema: {
              type: 'string',
              description:
                '`id` is the cursor, `event` the type, `data` a SessionEvent. A comment is sent every 15 s; NDJSON has an empty line in its place.',
            },
            example: `id: ${event.cursor}\nevent: stdout\ndata: ${JSON.stringify(event)}\n\n`,
          },
          'application/x-ndjson': { schema: sessionEventSchema, example: event },
        },
      },
      204: { description: 'The session has ended and has no events after this cursor' },
    },
    problems: [...known, 'quota-exceeded'],
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/shares',
    operationId: 'createShare',
    tag,
    security: keySchemes,
    summary: 'Create a link that lets a person join the session',
    description:
      'Needs the scope `host`. The token takes the place of an API key, for this session and for the operations of its access alone, until the link expires or is revoked.',
    params: sessionPath,
    headers: idempotencyHeaders,
    body: { schema: createShareSchema, example: { access: 'run', expiresSeconds: 3600, name: 'Ada' } },
    answers: {
      201: created('The link', createdShareSchema, {
        ...share,
        token,
        url: `/v1/sessions/${examples.sessionId}/events?token=${token}`,
      }),
    },
    problems: [...known, 'idempotency-conflict', 'idempotency-mismatch'],
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/shares',
    operationId: 'listShares',
    tag,
    security: keySchemes,
    summary: 'List the share links of a session, newest first',
    description: 'Needs the scope `host`. Links that have expired or were revoked are among them.',
    params: sessionPath,
    query: pageQuery,
    answers: { 200: json('A page of share links', page(shareSchema), { items: [share], nextCursor: null }) },
    problems: known,
  },
  {
    method: 'delete',
    path: '/v1/sessions/{sessionId}/shares/{shareId}',
    operationId: 'revokeShare',
    tag,
    security: keySchemes,
    summary: 'Revoke a share link',
    description:
      'Needs the scope `host`. The link stops working and its streams end, at once on the server that gets the request and within five seconds on all others. Revoking it again has no effect.',
    params: sharePath,
    answers: { 204: nothing('Revoked') },
    problems: known,
  },
];

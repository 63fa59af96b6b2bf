import * as z from 'zod';
import {
  acceptedInputSchema,
  processEventsHeaderSchema,
  processEventsQuerySchema,
  processInputSchema,
  processOutputQuerySchema,
  signalProcessSchema,
  terminalSizeSchema,
} from '../../public/process.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { bytes, json, nothing } from '../parts/answers.ts';
import type { Operation } from '../parts/operation.ts';
import { processOutputPath, processPath } from '../parts/path-parameters.ts';
import { keyOrShareSchemes, keySchemes } from '../parts/security.ts';
import { processEventStreams } from './process-operations.ts';

const tag = 'Processes';
const security = keySchemes;
const known: readonly ProblemSlug[] = ['forbidden', 'not-found', 'session-ended', 'database-unavailable'];
const sandbox: readonly ProblemSlug[] = [
  'sandbox-failed',
  'sandbox-unreachable',
  'session-starting',
  'session-not-active',
  'session-paused',
];
const place = { type: 'integer', minimum: 0 } as const;

/** Everything that comes from a process and goes to it. */
export const processStreamOperations: Operation[] = [
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/processes/{processId}/events',
    operationId: 'followProcess',
    tag,
    security: keyOrShareSchemes,
    summary: 'Replay and follow the output of a process',
    description:
      'All output in the order in which it came, byte for byte: `text` if a piece is UTF-8, otherwise `base64`. The last event is `finished` and contains the process. If a stream ends without it, ' +
      'the connection broke: continue with `after` from any replica, and no byte is missing or comes twice. A process that writes faster than its readers read waits for them, for up to 30 s. ' +
      'The sandbox drops the middle of a very long output, and all but its beginning and its end goes with the sandbox: `truncated` says how many bytes are missing.',
    params: processPath,
    query: processEventsQuerySchema.extend({
      after: processEventsQuerySchema.shape.after.meta({
        ...place,
        description: 'Only what comes after this `seq`',
        example: 11,
      }),
    }),
    headers: z.object({
      'Last-Event-ID': processEventsHeaderSchema.meta({
        ...place,
        description: 'Sent by an EventSource that reconnects; same meaning as `after` and overrides it',
      }),
    }),
    answers: {
      200: { description: 'The events', content: processEventStreams },
      204: { description: 'The process has ended and has no events after this `seq`' },
    },
    problems: [...known, 'quota-exceeded'],
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/processes/{processId}/channel',
    operationId: 'openChannel',
    tag,
    security: keyOrShareSchemes,
    summary: 'Open a WebSocket to a process',
    description:
      'For terminals in web pages. Binary messages are bytes: input from the client, output to it, both streams in their order. Texts are JSON: `ChannelCommand` from the client, `ChannelNotice` to it. ' +
      'The place of a byte follows from the last `position` and the bytes since, so a client that reconnects with `after` misses nothing. A program sends its key in a header; a browser, which cannot, ' +
      'opens the channel with the `token` of a share link with the access `run`, which the host makes for it. Input that is lost is never followed by more: the channel closes, with the code 4001 if the process ' +
      'does not read it, and 1011 if the sandbox does not answer. The answer to a command with an `id` is `done` or `problem` with this `id`; a `problem` without one is about input.',
    params: processPath,
    query: processEventsQuerySchema.extend({
      after: processEventsQuerySchema.shape.after.meta({
        ...place,
        description: 'Only output after this place',
        example: 11,
      }),
    }),
    answers: { 101: { description: 'The connection is a WebSocket now' } },
    problems: [
      ...known,
      ...sandbox,
      'body-too-large',
      'quota-exceeded',
      'stdin-closed',
      'process-ended',
      'no-terminal',
    ],
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/processes/{processId}/output/{stream}',
    operationId: 'readProcessOutput',
    tag,
    security,
    summary: 'Read the output of a process on one stream, as bytes',
    description:
      'The bytes that are there now, from `offset` on. If the sandbox has dropped the byte with which they should begin, they begin with the next one that it has. Answers 410 `output-gone` if ' +
      'output of which the process shows only the beginning and the end went with its sandbox.',
    params: processOutputPath,
    query: processOutputQuerySchema.extend({
      offset: processOutputQuerySchema.shape.offset.meta({
        ...place,
        description: 'The byte with which to begin, from 0',
        example: 4096,
      }),
    }),
    answers: {
      200: {
        ...bytes('The output'),
        headers: z.object({
          'Holdfast-Offset': z.string().meta({ description: 'The number of the first byte of the answer' }),
        }),
      },
    },
    problems: [...known, ...sandbox, 'output-gone'],
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/processes/{processId}/stdin',
    operationId: 'sendProcessInput',
    tag,
    security,
    summary: 'Send input to a process',
    description:
      'Bytes as `text` or as `base64`, and then the end of the input if `end` is true. Answers when the process has room for them, or after 10 s: if `taken` is less than what was sent, the rest was not accepted.',
    params: processPath,
    body: { schema: processInputSchema, example: { text: 'yes\n' } },
    answers: { 200: json('The bytes that were accepted', acceptedInputSchema, { bytes: 4, taken: 4, ended: false }) },
    problems: [...known, ...sandbox, 'quota-exceeded', 'stdin-closed', 'process-ended'],
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/processes/{processId}/signal',
    operationId: 'signalProcess',
    tag,
    security,
    summary: 'Send a signal to a process',
    params: processPath,
    body: { schema: signalProcessSchema, example: { signal: 'SIGINT' }, required: false },
    answers: { 204: nothing('Sent') },
    problems: [...known, ...sandbox, 'process-ended'],
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/processes/{processId}/terminal',
    operationId: 'resizeTerminal',
    tag,
    security,
    summary: 'Change the size of the terminal of a process',
    params: processPath,
    body: { schema: terminalSizeSchema, example: { columns: 120, rows: 40 } },
    answers: { 204: nothing('Changed') },
    problems: [...known, ...sandbox, 'process-ended', 'no-terminal'],
  },
];

import { stepEventSchema } from '../../public/event.ts';
import { events } from './examples.ts';

/** The events of a step as an answer, in both formats. */
export const eventStreams = {
  'text/event-stream': {
    schema: {
      type: 'string' as const,
      description:
        'Server-sent events: `id` is the sequence number, `event` the type, `data` a StepEvent. A comment is sent every 15 s; NDJSON has an empty line in its place.',
    },
    example: events
      .map((event) => `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join(''),
  },
  'application/x-ndjson': { schema: stepEventSchema, example: events[0] },
};

/** The rules of a stream, for the description of an operation. */
export const streamRules =
  'The last event is `finished` and contains the step. If a stream ends without it, the connection broke: continue with ' +
  '`GET …/events?after=SEQ`. If the server fails in the middle of a stream, the last line is a `problem` without a sequence number.';

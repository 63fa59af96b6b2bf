import { sessionIdSchema } from '@holdfast/specs/public';
import type { EventStore } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { z } from 'zod';

/** The request that an event answers, the session in which it works, and what its client needs to be told its progress. */
type Answered = {
  requestId: string | number;
  sessionId?: string | undefined;
  progressToken?: string | number | undefined;
};

const id = z.union([z.string().max(256), z.number()]);
const answeredSchema = z.object({ requestId: id, sessionId: sessionIdSchema.optional(), progressToken: id.optional() });

const named = (answered: Answered): string => Buffer.from(JSON.stringify(answered)).toString('base64url');

/** A request's id may be escaped to six times its length, and its text in base64 takes a third more. */
export const questionIdLengthMax = 4096;

/** The id of a question that the code of a request asks, by the number of the event in which it does. The answer may come to any replica. */
export const questionId = (answered: Answered, seq: number): string => `${named(answered)}.${seq}`;

/** Gives events ids that name their request. Nothing is stored: an answer is made again from the step of the request. */
export function eventIds(answered: () => Answered): EventStore {
  const since = Date.now();
  let count = 0;
  return {
    storeEvent: async () => `${named(answered())}.${since}.${count++}`,
    replayEventsAfter: () => Promise.reject(new Error('events are not replayed')),
  };
}

/** The request that the event or the question with this id belongs to, or null. Pure. */
export function answeredBy(eventId: string): Answered | null {
  try {
    const [beginning = ''] = eventId.split('.');
    return answeredSchema.safeParse(JSON.parse(Buffer.from(beginning, 'base64url').toString())).data ?? null;
  } catch {
    return null;
  }
}

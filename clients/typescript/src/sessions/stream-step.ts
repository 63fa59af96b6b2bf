import type { StepEvent } from '../generated/api.ts';
import { answerOf, type Connection, eventStream } from '../http/create-api.ts';
import { endedWith } from '../http/ended-with.ts';
import { connectionBroke, isRefusal } from '../http/holdfast-error.ts';
import { resumedEvents } from '../http/resumed-events.ts';
import { answerInput, type RunOptions, requestOf, type StepTarget } from './run-step.ts';

/**
 * Runs code and gives its events as they happen; the last one is `finished`. If the connection breaks, or the server restarts, the events go
 * on behind the last one. Leaving the loop early does not stop the code, except with `onDisconnect: 'interrupt'`.
 */
export async function* streamStep(
  { connection, sessionId, operations }: StepTarget,
  code: string,
  options: RunOptions = {},
): AsyncGenerator<StepEvent, void, undefined> {
  const { input, body, header, signal } = requestOf(code, options);
  const { api } = connection;
  const params = { path: { sessionId }, header };
  const stop = endedWith(options.signal);
  let isFirst = true;

  const start = async () => {
    const request = { params, body, parseAs: 'stream', headers: eventStream, signal: stop.signal } as const;
    const answer = await api.POST('/v1/sessions/{sessionId}/steps', request).catch((error) => {
      if (isRefusal(error, 'idempotency-conflict')) return null;
      throw error;
    });
    return answer ? (answer.data ?? null) : await find();
  };
  /** The step has begun, and none of its events has arrived: its key finds it. */
  const find = async () => {
    const step = await answerOf(
      api.POST('/v1/sessions/{sessionId}/steps', { params, body: { ...body, wait: false }, signal: stop.signal }),
    );
    return await openStep(connection, { sessionId, stepId: step.id, after: 0 }, stop.signal);
  };

  try {
    const events = stepEvents(connection, stop.signal, async (last) => {
      if (last) return await openStep(connection, { sessionId, stepId: last.stepId, after: last.seq }, stop.signal);
      const open = isFirst ? start : find;
      isFirst = false;
      return await open();
    });
    for await (const event of events) {
      if (event.type === 'operation_request') operations.look();
      yield event;
      if (event.type !== 'input_request' || !input) continue;
      const text = await input({ prompt: event.prompt, password: event.password });
      await answerInput(connection, { sessionId, stepId: event.stepId }, { text, ...signal });
    }
  } finally {
    stop.end();
  }
}

type Place = { sessionId: string; stepId: string; after: number };

/** The events of a step behind `after`, as long as it takes. */
export async function* followStep(
  connection: Connection,
  { sessionId, stepId, after }: Place,
  caller?: AbortSignal,
): AsyncGenerator<StepEvent, void, undefined> {
  const stop = endedWith(caller);
  try {
    yield* stepEvents(connection, stop.signal, (last) =>
      openStep(connection, { sessionId, stepId, after: last?.seq ?? after }, stop.signal),
    );
  } finally {
    stop.end();
  }
}

function stepEvents(
  connection: Connection,
  signal: AbortSignal,
  open: (last: StepEvent | null) => Promise<ReadableStream<Uint8Array> | null>,
) {
  return resumedEvents<StepEvent>({
    open,
    isLast: ({ type }) => type === 'finished',
    // A step whose sandbox was lost may have less recorded than was seen, and ends at a lower place.
    isBehind: (event, last) => event.seq > last.seq || event.type === 'finished',
    missingEnd: (last) => endOf(connection, last, signal),
    patience: connection.patience(signal),
    signal,
  });
}

/** The end of a step whose last event is behind no event that was seen. */
async function endOf({ api }: Connection, last: StepEvent, signal: AbortSignal): Promise<StepEvent> {
  const { sessionId, stepId, actor } = last;
  const params = { path: { sessionId, stepId }, query: { waitSeconds: 30 } };
  const step = await answerOf(api.GET('/v1/sessions/{sessionId}/steps/{stepId}', { params, signal }));
  if (step.finishedAt === null) throw connectionBroke();
  const { contextEpoch, finishedAt: time } = step;
  return { type: 'finished', seq: last.seq + 1, time, sessionId, stepId, contextEpoch, actor, step };
}

async function openStep(connection: Connection, { after, ...path }: Place, signal: AbortSignal) {
  const { data } = await connection.api.GET('/v1/sessions/{sessionId}/steps/{stepId}/events', {
    params: { path, query: { after } },
    parseAs: 'stream',
    headers: eventStream,
    signal,
  });
  return (data as ReadableStream<Uint8Array> | undefined) ?? null;
}

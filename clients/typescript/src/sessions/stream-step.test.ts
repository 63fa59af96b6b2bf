import { expect, test } from 'vitest';
import type { StepEvent } from '../generated/api.ts';
import { createConnection } from '../http/create-api.ts';
import { streamStep } from './stream-step.ts';

const ids = { sessionId: 'ses_1', stepId: 'stp_1', contextEpoch: 1, actor: 'agent' };
const text = (event: object) => `data: ${JSON.stringify({ ...ids, ...event })}\n\n`;
const lost = { id: 'stp_1', status: 'lost', finishedAt: '2026-01-15T10:00:03.000Z', contextEpoch: 1 };

/** The events of a step whose stream breaks after its third event, and of which the server then has only `rest`. */
async function eventsOf(rest: () => Response, step: object) {
  const connection = createConnection({
    url: 'http://server.test',
    limits: { reconnectMs: 500, connectMs: 500 },
    async fetch({ method, url }) {
      if (method === 'POST')
        return new Response([1, 2, 3].map((seq) => text({ type: 'stdout', seq, text: `${seq}` })).join(''));
      return new URL(url).pathname.endsWith('/events') ? rest() : Response.json(step);
    },
  });
  const target = { connection, sessionId: 'ses_1', operations: { look() {}, on: () => expect.unreachable() } };
  const events: StepEvent[] = [];
  for await (const event of streamStep(target, 'print()')) events.push(event);
  return events;
}

test('a stream of which nothing more is recorded ends with the step as it is', async () => {
  const events = await eventsOf(() => new Response(null, { status: 204 }), lost);
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  expect(events.at(-1)).toMatchObject({ type: 'finished', ...ids, step: { status: 'lost' } });
});

test('a stream never ends silently if its step has not ended', async () => {
  const events = eventsOf(() => new Response(null, { status: 204 }), { ...lost, finishedAt: null });
  await expect(events).rejects.toMatchObject({ code: 'connection-failed' });
});

test('an end that is recorded before an event that was seen is the end', async () => {
  const events = await eventsOf(() => new Response(text({ type: 'finished', seq: 1, step: lost })), lost);
  expect(events.at(-1)).toMatchObject({ type: 'finished', step: { status: 'lost' } });
});

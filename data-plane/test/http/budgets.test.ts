import { expect, test } from 'vitest';
import type { Verbs } from '../../src/http/v1/verbs.ts';
import { asJson, scriptedApp } from './scripted-app.ts';
import { sessionId } from './scripted-verbs.ts';

const path = `/v1/sessions/${sessionId}/usage`;
const asHost = { ...asJson, Authorization: 'Bearer host' };

function usageApp() {
  const asked: object[] = [];
  const budgetRemaining = { iterations: null, timeSeconds: null, tokens: 7, cost: '0.5' };
  const reportUsage: Verbs['reportUsage'] = async ({ caller: _, ...report }) => {
    asked.push(report);
    return { budgetRemaining };
  };
  const { app } = scriptedApp({ reportUsage });
  const post = (body: object, headers: Record<string, string> = asHost) =>
    app.request(path, { method: 'POST', body: JSON.stringify(body), headers });
  return { asked, post, budgetRemaining };
}

test('a report of usage answers with what is left', async () => {
  const { asked, post, budgetRemaining } = usageApp();
  const answer = await post({ tokens: 3, cost: '0.25' }, { ...asHost, 'Idempotency-Key': 'one' });
  expect([answer.status, await answer.json()]).toEqual([200, { budgetRemaining }]);
  expect(asked).toEqual([{ sessionId, usage: { tokens: 3, cost: '0.25' }, idempotencyKey: 'one' }]);
});

test('only a key with the scope host reports usage', async () => {
  const { asked, post } = usageApp();
  expect((await post({ tokens: 3 }, asJson)).status).toBe(403);
  expect(asked).toEqual([]);
});

test.each([
  ['nothing in it', {}],
  ['a negative number of tokens', { tokens: -1 }],
  ['half a token', { tokens: 0.5 }],
  ['a negative cost', { cost: -0.1 }],
  ['a cost with too many places', { cost: '0.1234567890123' }],
  ['a cost in another notation', { cost: '1e3' }],
  ['another field', { tokens: 1, iterations: 1 }],
])('a report of usage with %s is rejected', async (_what, body) => {
  const { asked, post } = usageApp();
  expect((await post(body)).status).toBe(400);
  expect(asked).toEqual([]);
});

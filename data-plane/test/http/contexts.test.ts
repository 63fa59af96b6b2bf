import { expect, test } from 'vitest';
import { asJson, asRun, scriptedApp } from './scripted-app.ts';
import { sessionId } from './scripted-verbs.ts';

const context = `/v1/sessions/${sessionId}/contexts/bash`;
const at = { code: '😀 = 1\n😀.', cursor: 10 };

test('the question of an editor reaches the context with code and cursor unchanged', async () => {
  const asked: unknown[] = [];
  const completions = { matches: [{ text: 'real', kind: null }], start: 10, end: 10 };
  const inspection = { found: true, data: { 'text/plain': 'int' } };
  const { app } = scriptedApp({
    completeCode: async (input) => {
      asked.push(input);
      return completions;
    },
    inspectCode: async (input) => {
      asked.push(input);
      return inspection;
    },
  });
  const init = { method: 'POST', headers: asJson, body: JSON.stringify(at) };
  expect(await (await app.request(`${context}/complete`, init)).json()).toEqual(completions);
  expect(await (await app.request(`${context}/inspect`, init)).json()).toEqual(inspection);
  const expected = { sessionId, contextId: 'bash', at };
  expect(asked).toMatchObject([expected, expected]);
});

test('background output is read from its beginning, or after a seq', async () => {
  const asked: number[] = [];
  const page = { items: [], droppedBytes: 7 };
  const { app } = scriptedApp({
    listBackground: async ({ after }) => {
      asked.push(after);
      return page;
    },
  });
  for (const query of ['', '?after=12']) {
    const response = await app.request(`${context}/background${query}`, { headers: asRun });
    expect(await response.json()).toEqual(page);
  }
  expect(asked).toEqual([0, 12]);
});

test('limits of a context are passed on as they were asked for', async () => {
  const asked: unknown[] = [];
  const { app } = scriptedApp({
    createContext: async ({ request }) => {
      asked.push(request);
      throw new Error('enough');
    },
  });
  const body = JSON.stringify({ language: 'ruby', limits: { memoryMb: 64, cpuSeconds: 5, processesMax: 10 } });
  await app.request(`/v1/sessions/${sessionId}/contexts`, { method: 'POST', headers: asJson, body });
  expect(asked).toEqual([{ language: 'ruby', env: {}, limits: { memoryMb: 64, cpuSeconds: 5, processesMax: 10 } }]);
});

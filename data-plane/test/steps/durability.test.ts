import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Step } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type Holdfast, nothingRunsIn } from '../support/start-holdfast.ts';

/** For a longer run set HOLDFAST_TEST_KILLS, for example to 100. */
const kills = Number(process.env.HOLDFAST_TEST_KILLS ?? 8);

let installation: Installation;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
});

afterAll(() => installation[Symbol.asyncDispose]());

test(`the history has every step that a client saw, with its true result, and no step ran twice: ${kills} random kills`, {
  timeout: 60_000 + kills * 6000,
}, async () => {
  const { id: sessionId } = await holdfast.createSession();
  const ledger = join(installation.dataDir, 'ledger');
  const seen = new Map<string, string>();
  const finished = new Map<string, Step>();
  let stop = false;
  let sent = 0;

  const contexts = ['python', 'node'] as const;
  const code = {
    python: (mark: string, ms: number) =>
      `import time\nwith open(${JSON.stringify(ledger)}, 'a') as f: _ = f.write('${mark}\\n')\nprint('${mark}', flush=True); time.sleep(${ms / 1000})\n'${mark}'`,
    node: (mark: string, ms: number) =>
      `require('node:fs').appendFileSync(${JSON.stringify(ledger)}, '${mark}\\n'); console.log('${mark}'); await new Promise((r) => setTimeout(r, ${ms})); '${mark}'`,
  };
  const send = async (language: (typeof contexts)[number]) => {
    while (!stop) {
      const mark = `${language}-${sent++}`;
      try {
        const steps = holdfast.streamStep(sessionId, { language, code: code[language](mark, Math.random() * 30) });
        for await (const event of steps) {
          seen.set(event.stepId, mark);
          if (event.type === 'finished') finished.set(event.stepId, event.step);
        }
      } catch {
        await delay(5);
      }
    }
  };
  const clients = contexts.map(send);
  let killsInSteps = 0;
  for (let i = 0; i < kills; i++) {
    await delay(20 + Math.random() * 200);
    const before = finished.size;
    await holdfast.kill();
    if (finished.size === before) killsInSteps++;
    holdfast = await installation.start();
  }
  const seenBefore = finished.size;
  await eventually(() => expect(finished.size).toBeGreaterThan(seenBefore + 2));
  stop = true;
  await Promise.all(clients);

  const history = await eventually(async () => {
    const steps = await holdfast.history(sessionId);
    expect(steps.filter((step) => step.finishedAt === null)).toEqual([]);
    return steps;
  }, 20_000);
  const byId = new Map(history.map((step) => [step.id, step]));
  const marks = (await readFile(ledger, 'utf8')).trim().split('\n');
  expect(killsInSteps).toBeGreaterThan(0);
  expect(new Set(marks).size, 'no step ran twice').toBe(marks.length);
  expect(
    [...seen.keys()].filter((id) => !byId.has(id)),
    'every step seen is in the history',
  ).toEqual([]);
  for (const [id, mark] of seen) {
    const { status, cause, stdout, results } = byId.get(id) as Step;
    const outcome = { status, cause: cause?.code, stdout: stdout.trim(), result: results[0]?.data['text/plain'] };
    const succeeded = { status: 'succeeded', cause: undefined, stdout: mark, result: `'${mark}'` };
    const neverStarted = { ...outcome, cause: 'never_started' };
    expect(outcome).toEqual(status === 'lost' ? neverStarted : succeeded);
    expect(marks.includes(mark), `${mark} ran exactly when the history says so`).toBe(status === 'succeeded');
  }
  for (const [id, step] of finished) expect(byId.get(id)).toEqual(step);
  const numbers = history.map((step) => step.number);
  expect(numbers).toEqual([...numbers].sort((a, b) => (a ?? 0) - (b ?? 0)));
});

test('no step starts and nothing of a session runs after its DELETE was answered with 204', async () => {
  const ledger = join(installation.dataDir, 'after-delete');
  for (let round = 0; round < 5; round++) {
    const { id: sessionId } = await holdfast.createSession();
    let stop = false;
    const senders = [0, 1, 2].map(async () => {
      while (!stop) {
        await holdfast
          .runStep(sessionId, { code: `with open(${JSON.stringify(ledger)}, 'a') as f: _ = f.write('x')` })
          .catch(() => delay(1));
      }
    });
    await delay(Math.random() * 50);
    const answer = await holdfast.request('DELETE', `/v1/sessions/${sessionId}`);
    const atAnswer = await readFile(ledger, 'utf8').catch(() => '');
    expect(answer.status).toBe(204);
    expect((await holdfast.request('POST', `/v1/sessions/${sessionId}/steps`, { code: '1' })).body.code).toBe(
      'session-ended',
    );
    await delay(50);
    expect(await readFile(ledger, 'utf8').catch(() => '')).toBe(atAnswer);
    stop = true;
    await Promise.all(senders);
    await nothingRunsIn(join(installation.dataDir, 'sandboxes', sessionId.replace('_', '-')));
  }
});

test('no step of a session starts after its completion was answered, not even one that waited in the queue', async () => {
  const ledger = join(installation.dataDir, 'after-complete');
  const { id: sessionId } = await holdfast.createSession();
  const code = `import time\nwith open(${JSON.stringify(ledger)}, 'a') as f: _ = f.write('x')\ntime.sleep(0.1)`;
  const steps = Array.from({ length: 20 }, () => holdfast.runStep(sessionId, { code }).catch(() => null));
  await eventually(async () => expect((await readFile(ledger, 'utf8')).length).toBeGreaterThan(1));
  expect((await holdfast.request('POST', `/v1/sessions/${sessionId}/complete`)).status).toBe(200);
  const atAnswer = await readFile(ledger, 'utf8');
  const statuses = (await Promise.all(steps)).map((step) => step?.status);
  expect(await readFile(ledger, 'utf8')).toBe(atAnswer);
  expect(statuses.filter((status) => status === 'interrupted').length).toBeGreaterThan(10);
});

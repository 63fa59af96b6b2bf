import { beforeAll, expect, test } from 'vitest';
import { amounts } from '../amounts.ts';
import type { Client, Holdfast } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';

let holdfast: Holdfast;
let replicas: Client[];
beforeAll(async () => {
  holdfast = await installHoldfast();
  replicas = await holdfast.replicas();
  return holdfast.close;
});

test.each(['python', 'node'] as const)(
  '%s state survives steps that alternate between two replicas',
  async (language) => {
    expect(replicas).toHaveLength(2);
    const { id } = await holdfast.createSession();
    const first = language === 'python' ? 'seen = []' : 'const seen = []; 0';
    const next = {
      python: 'seen.append(len(seen)); print(seen[-1], sum(seen))',
      node: 'seen.push(seen.length); console.log(seen.at(-1), seen.reduce((a, b) => a + b))',
    };
    await holdfast.runStep(id, { language, code: first });
    for (let i = 0; i < amounts.steps; i++) {
      const replica = replicas[i % 2] as Client;
      const step = await replica.runStep(id, { language, code: next[language] });
      expect(step).toMatchObject({
        status: 'succeeded',
        stdout: `${i} ${(i * (i + 1)) / 2}\n`,
        number: i + 2,
        contextEpoch: 1,
      });
    }
    await holdfast.request('DELETE', `/v1/sessions/${id}`);
  },
);

test('a step that runs on one replica is followed and interrupted through the other', async () => {
  const [one, other] = replicas as [Client, Client];
  const { id } = await one.createSession();
  const stream = one.streamStep(id, { code: 'print("begun", flush=True)\nwhile True: pass' });
  const stepId = (await stream.next()).value?.stepId ?? '';
  const followed = other.followStep(id, stepId);
  const types: string[] = [];
  const interrupts: number[] = [];
  for await (const event of followed) {
    types.push(event.type);
    if (event.type !== 'stdout') continue;
    interrupts.push((await other.request('POST', `/v1/sessions/${id}/steps/${stepId}/interrupt`)).status);
  }
  expect(interrupts).toEqual([202]);
  expect(types.filter((type) => type !== 'queued')).toEqual(['started', 'stdout', 'error', 'finished']);
  let last: unknown;
  for await (const event of stream) last = event;
  expect(last).toMatchObject({ type: 'finished', step: { status: 'interrupted' } });
  await one.request('DELETE', `/v1/sessions/${id}`);
});

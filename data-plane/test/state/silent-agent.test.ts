import { setTimeout as delay } from 'node:timers/promises';
import type { Session } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { isSaved } from './is-saved.ts';
import { agentOf } from './kill-sandbox.ts';

let installation: Installation;
let holdfast: Holdfast;

/** A silent agent is lost after half a lease. Until then it keeps its lease, whatever is stopped in between. */
const leaseSeconds = 24;
const silenceSeconds = 4;
const lostAfterMs = (leaseSeconds / 2) * 1000;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start({
    HOLDFAST_AGENT_LEASE_SECONDS: String(leaseSeconds),
    HOLDFAST_AGENT_SILENCE_SECONDS: String(silenceSeconds),
  });
}, 120_000);
afterAll(() => installation[Symbol.asyncDispose]());

const read = async (id: string): Promise<Session> => (await holdfast.request('GET', `/v1/sessions/${id}`)).body;
const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** A session with a variable, and its agent. */
async function withVariable(recovery: Session['recovery']) {
  const { id } = await holdfast.createSession({ recovery });
  await holdfast.runStep(id, { code: 'n = 41' });
  const agent = await agentOf(holdfast, id);
  return { id, agent, stop: () => process.kill(agent, 'SIGSTOP'), goOn: () => process.kill(agent, 'SIGCONT') };
}

test('a session whose agent is stopped is recovered, waits for its host or ends, and the stopped sandbox ends first', async () => {
  const auto = await withVariable('auto');
  const manual = await withVariable('manual');
  const off = await withVariable('off');
  const healthy = await withVariable('auto');
  await eventually(async () => expect(await isSaved(installation, auto.id)).toBe(true), 60_000);
  for (const { stop } of [auto, manual, off]) stop();

  await eventually(async () => {
    expect(await read(auto.id)).toMatchObject({ status: 'active', epoch: 2 });
  }, 90_000);
  // The two sandboxes never run code at the same time.
  expect(isThere(auto.agent)).toBe(false);
  expect(await read(auto.id)).toMatchObject({ lostReason: 'agent_silent' });
  const { results } = await holdfast.runStep(auto.id, { code: 'n + 1' });
  expect(results[0]?.data['text/plain']).toBe('42');

  await eventually(async () => expect(await read(manual.id)).toMatchObject({ status: 'lost' }), 60_000);
  const recovered = await holdfast.request('POST', `/v1/sessions/${manual.id}/recover`);
  expect(recovered).toMatchObject({ status: 200, body: { status: 'active', epoch: 2, lostReason: 'agent_silent' } });
  expect(isThere(manual.agent)).toBe(false);

  await eventually(async () => expect(await read(off.id)).toMatchObject({ status: 'failed' }), 60_000);
  expect(await read(off.id)).toMatchObject({ endReason: 'agent_silent' });
  expect(await read(healthy.id)).toMatchObject({ status: 'active', epoch: 1, lostReason: null });
}, 180_000);

test('an agent that answers only now and then keeps its session', async () => {
  const slow = await withVariable('auto');
  for (const startMs = performance.now(); performance.now() - startMs < 2 * lostAfterMs; ) {
    slow.stop();
    await delay(silenceSeconds * 500);
    slow.goOn();
    await delay(silenceSeconds * 250);
  }
  expect((await holdfast.runStep(slow.id, { code: 'n' })).results[0]?.data['text/plain']).toBe('41');
  expect(await read(slow.id)).toMatchObject({ status: 'active', epoch: 1 });
}, 120_000);

test('a replica that was stopped for longer than a silence may last takes no sandbox for lost when it wakes', async () => {
  const { id, agent } = await withVariable('auto');
  process.kill(holdfast.pid, 'SIGSTOP');
  await delay(lostAfterMs * 1.2);
  process.kill(holdfast.pid, 'SIGCONT');
  expect((await holdfast.runStep(id, { code: 'n' })).results[0]?.data['text/plain']).toBe('41');
  // By then a silence that had begun before the stop, or with it, would have lasted.
  await delay(lostAfterMs);
  expect(await read(id)).toMatchObject({ status: 'active', epoch: 1 });
  expect(isThere(agent)).toBe(true);
}, 120_000);

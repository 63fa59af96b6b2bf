import { setTimeout as delay } from 'node:timers/promises';
import type { Session } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

let installation: Installation;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
}, 120_000);

afterAll(() => installation[Symbol.asyncDispose]());

const post = (id: string, rest: string, body?: object) => holdfast.request('POST', `/v1/sessions/${id}${rest}`, body);
const printed = async (id: string, code: string, language: string) =>
  (await holdfast.runStep(id, { code, language })).stdout.trim();

const programs = [
  ['python', 'import os; x = [1]; print(os.getpid())', 'print(x[0])'],
  ['node', 'var x = [1]; console.log(process.pid)', 'console.log(x[0])'],
  ['bash', 'x=1; echo $BASHPID', 'echo $x'],
] as const;
type Language = (typeof programs)[number][0];

/** A session with `x`, and the process of its kernel. */
async function withKernel(language: Language, { recovery = 'auto' as Session['recovery'], code = '' } = {}) {
  const { id } = await holdfast.createSession({ language, recovery });
  const [, set] = programs.find(([one]) => one === language) ?? [];
  const pid = Number((await holdfast.runStep(id, { code: `${set}\n${code}` })).stdout.trim());
  return { id, kill: () => process.kill(pid, 'SIGKILL') };
}

async function isDead(id: string) {
  await eventually(async () => {
    const { items } = (await holdfast.request('GET', `/v1/sessions/${id}/contexts`)).body;
    expect(items).toMatchObject([{ state: 'dead' }]);
  });
}

const lostIn = ({ lastRecovery }: Session) =>
  lastRecovery?.contexts.flatMap(({ lost }) => lost.map(({ name }) => name));

test.each(programs)(
  'a fork after the death of the kernel has the state of %s',
  async (language, _set, show) => {
    const { id, kill } = await withKernel(language);
    kill();
    await isDead(id);
    const { status, body } = await post(id, '/fork');
    expect(status).toBe(201);
    expect(lostIn(body.items[0])).toEqual([]);
    expect(await printed(body.items[0].id, show, language)).toBe('1');
  },
  60_000,
);

test.each(programs)(
  'a pause after the death of the kernel saves the state of %s',
  async (language, _set, show) => {
    const { id, kill } = await withKernel(language);
    kill();
    await isDead(id);
    expect(await post(id, '/pause')).toMatchObject({ status: 200, body: { status: 'paused', notSaved: [] } });
    const { body } = await post(id, '/resume');
    expect(lostIn(body)).toEqual([]);
    expect(await printed(id, show, language)).toBe('1');
  },
  60_000,
);

test('a fork and a snapshot say so if the state was lost with its kernel', async () => {
  const { id, kill } = await withKernel('python', { recovery: 'off' });
  kill();
  await isDead(id);
  const { body } = await post(id, '/fork');
  expect(body.items[0].lastRecovery.contexts).toMatchObject([
    { contextId: 'python', lost: [{ name: '*', reason: 'The kernel of the context has ended.' }] },
  ]);
  expect(await post(id, '/snapshots')).toMatchObject({
    status: 422,
    body: { code: 'snapshot-refused', detail: 'the kernel of the context python has ended' },
  });
}, 60_000);

test('a name that was lost with a kernel is in the report of a fork, and of a resume, though no step ran in between', async () => {
  const { id, kill } = await withKernel('python', { code: 'import socket; s = socket.socket()' });
  expect((await post(id, '/snapshots', {})).status).toBe(201);
  kill();
  await isDead(id);
  const { body } = await post(id, '/fork');
  expect(lostIn(body.items[0])).toEqual(['s']);
  expect(await post(id, '/pause')).toMatchObject({ status: 409, body: { code: 'state-not-saved' } });
  expect(await post(id, '/pause', { force: true })).toMatchObject({ status: 200, body: { notSaved: [{ name: 's' }] } });
  expect(lostIn((await post(id, '/resume')).body)).toEqual(['s']);
}, 60_000);

test.each(programs)(
  'a kernel of %s that dies at any time during a fork takes nothing with it in silence',
  async (language, _set, show) => {
    for (const waitMs of [-20, -5, 0, 5, 20, 40]) {
      const { id, kill } = await withKernel(language);
      if (waitMs < 0) kill();
      await delay(Math.max(0, -waitMs));
      const forking = post(id, '/fork');
      await delay(Math.max(0, waitMs));
      if (waitMs >= 0) kill();
      const { status, body } = await forking;
      if (status !== 201) expect([409, 502, 503]).toContain(status);
      const forks: Session[] = status === 201 ? body.items : [];
      for (const fork of forks)
        if (lostIn(fork)?.length === 0) expect(await printed(fork.id, show, language)).toBe('1');
      // Otherwise their kernels would run, and be saved, until the end of the file.
      for (const one of [id, ...forks.map((fork) => fork.id)]) await holdfast.request('DELETE', `/v1/sessions/${one}`);
    }
  },
  120_000,
);

test.each([
  ['auto', { restored: ['os', 'x'], lost: [] }],
  ['off', { restored: [], lost: [{ name: '*' }] }],
] as const)('a session with recovery %s shows the loss of a kernel as its last recovery', async (recovery, report) => {
  const { id, kill } = await withKernel('python', { recovery });
  if (recovery === 'auto') expect((await post(id, '/snapshots', {})).status).toBe(201);
  kill();
  await isDead(id);
  await printed(id, 'print(1)', 'python');
  const read = async () => (await holdfast.request('GET', `/v1/sessions/${id}`)).body.lastRecovery;
  expect(await read()).toMatchObject({ epoch: 1, contexts: [{ contextId: 'python', stopped: null, ...report }] });
});

test('a step that ends its own kernel shows the loss in its session', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: 'import os; os._exit(3)' });
  const { body } = await holdfast.request('GET', `/v1/sessions/${id}`);
  expect(lostIn(body)).toEqual(['*']);
});

test('a restart and a restore do not count as recoveries', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: 'x = 1' });
  const { body: snapshot } = await post(id, '/snapshots', {});
  await post(id, '/contexts/python/restart');
  expect(await printed(id, 'print("x" in dir())', 'python')).toBe('False');
  await post(id, '/restore', { snapshotId: snapshot.id });
  expect(await printed(id, 'print(x)', 'python')).toBe('1');
  expect((await holdfast.request('GET', `/v1/sessions/${id}`)).body.lastRecovery).toBeNull();
});

test('a replay stays shown after the step that announces it', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: 'x = 1' });
  await holdfast.runStep(id, { code: 'y = 2', language: 'ruby' });
  const { body } = await post(id, '/recover', { strategy: 'replay' });
  await holdfast.runStep(id, { code: 'x' });
  expect((await holdfast.request('GET', `/v1/sessions/${id}`)).body.lastRecovery).toEqual(body.lastRecovery);
});

test('the recovery of a whole sandbox stays shown after the steps that announce it', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  await holdfast.runStep(id, { code: 'x = 1' });
  await holdfast.runStep(id, { code: 'y=1', language: 'bash' });
  const { body: paused } = await post(id, '/pause', { force: true });
  expect(paused.status).toBe('paused');
  const { body: resumed } = await post(id, '/resume');
  expect(resumed.lastRecovery.contexts).toHaveLength(2);
  await holdfast.runStep(id, { code: 'x' });
  await holdfast.runStep(id, { code: 'echo $y', language: 'bash' });
  const { body } = await holdfast.request('GET', `/v1/sessions/${id}`);
  expect(body.lastRecovery).toEqual(resumed.lastRecovery);
});

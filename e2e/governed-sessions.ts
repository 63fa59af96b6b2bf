import { expect } from 'vitest';
import type { client } from '../data-plane/test/support/start-holdfast.ts';

type Holdfast = Pick<ReturnType<typeof client>, 'request' | 'createSession' | 'runStep'>;

/** Calls the system directly, past everything that a kernel could refuse by itself. */
const execute = `import ctypes
libc = ctypes.CDLL(None, use_errno=True)
(libc.execv(b"/bin/true", (ctypes.c_char_p * 2)(b"/bin/true", None)), ctypes.get_errno())`;

/** Expects a session under `safe-analysis` to have no network, to start no program and to change no file. */
export async function expectSafeAnalysis(holdfast: Holdfast): Promise<void> {
  const { id, network } = await holdfast.createSession({ policy: 'safe-analysis', files: { 'a.txt': '1' } });
  expect(network).toBe('none');
  const bash = await holdfast.request('POST', `/v1/sessions/${id}/steps`, { language: 'bash', code: 'true' });
  expect([bash.status, bash.body.code]).toEqual([403, 'policy-denied']);
  const started = await holdfast.runStep(id, { code: 'import subprocess; subprocess.run(["true"])' });
  expect(started.error?.name).toBe('PolicyViolation');
  const executed = await holdfast.runStep(id, { code: execute });
  expect(executed.results[0]?.data['text/plain']).toBe('(-1, 1)');
  const node = await holdfast.runStep(id, { language: 'node', code: 'require("child_process").execSync("true")' });
  expect(node.error?.name).toBe('PolicyViolation');
  const written = await holdfast.runStep(id, { code: '_ = open("a.txt", "w").write("2")' });
  expect(written.artifacts).toMatchObject([{ path: 'a.txt', rule: 'world.readOnly' }]);
  expect((await holdfast.runStep(id, { code: 'print(open("a.txt").read())' })).stdout).toBe('1\n');
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
}

/** Expects a change to wait for the host, and a call of each language to get the host's answer. */
export async function expectHostInControl(holdfast: Holdfast): Promise<void> {
  const { id } = await holdfast.createSession({ policy: 'safe-edit' });
  const of = `/v1/sessions/${id}`;
  const { outcome, proposals } = await holdfast.runStep(id, { code: '_ = open("b.txt", "w").write("new")' });
  expect(outcome).toEqual({ tag: 'proposed' });
  const proposal = `${of}/proposals/${proposals[0]?.id}`;
  expect((await holdfast.request('GET', proposal)).body.changes[0].diff).toContain('+new');
  expect((await holdfast.request('POST', `${proposal}/commit`)).body.status).toBe('committed');
  const calls = {
    python: 'print(holdfast.call("tickets.create", {"title": "a"})["number"])',
    node: 'console.log((await holdfast.call("tickets.create", { title: "a" })).number)',
    bash: `holdfast call tickets.create '{"title": "a"}' | tr -dc 0-9; echo`,
  };
  for (const [language, code] of Object.entries(calls)) {
    const step = await holdfast.runStep(id, { language, code });
    const asked = { tag: 'needs', what: 'operation', name: 'tickets.create', arguments: [{ title: 'a' }] };
    expect(step.outcome).toMatchObject(asked);
    const { items } = (await holdfast.request('GET', `${of}/operations?status=pending`)).body;
    await holdfast.request('POST', `${of}/operations/${items[0].id}/result`, { value: { number: 7 } });
    const ended = (await holdfast.request('GET', `${of}/steps/${step.id}?waitSeconds=20`)).body;
    expect([language, ended.status, ended.stdout]).toEqual([language, 'succeeded', '7\n']);
  }
  await holdfast.request('DELETE', of);
}

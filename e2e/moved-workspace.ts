import { expect } from 'vitest';
import { filesClient } from '../data-plane/test/support/files-client.ts';
import type { client } from '../data-plane/test/support/start-holdfast.ts';

type Holdfast = { url: string; headers?: Record<string, string> } & Pick<
  ReturnType<typeof client>,
  'request' | 'createSession' | 'runStep'
>;

/** A profile whose workspace is a home directory, with a root that code may write and one that it may only read. */
export const movedProfile = {
  name: 'moved',
  workspacePath: '/home/user',
  home: '/home/user',
  user: 'user',
  fileRoots: ['/tmp', '/usr/share'],
};

/** Expects code, the API and the environment to agree about the place of the workspace, and a new sandbox to have its files. */
export async function expectMovedWorkspace(holdfast: Holdfast): Promise<void> {
  const { id } = await holdfast.createSession({ profile: 'moved', recovery: 'auto', files: { 'a.txt': 'one' } });
  const files = filesClient(holdfast, id);
  const shell = { language: 'bash', code: 'pwd; echo $HOME $USER; cat ~/a.txt; echo two >/home/user/b.txt' };
  expect(await holdfast.runStep(id, shell)).toMatchObject({
    stdout: '/home/user\n/home/user user\none',
    artifacts: [{ path: 'b.txt', change: 'created' }],
  });
  for (const path of ['b.txt', '/home/user/b.txt', '/workspace/b.txt'])
    expect((await files.get(path)).text, path).toBe('two\n');
  expect((await files.put('/home/user/c.txt', 'three')).json()).toMatchObject({ path: 'c.txt' });
  expect((await holdfast.request('POST', `/v1/sessions/${id}/pause`, { force: true })).status).toBe(200);
  const again = await holdfast.runStep(id, { language: 'bash', code: 'cat b.txt c.txt', resume: true });
  expect(again).toMatchObject({ stdout: 'two\nthree', epoch: 2 });
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
}

/** Expects files outside the workspace under the roots of the profile alone, as far as the sandbox may change them. */
export async function expectFileRoots(holdfast: Holdfast): Promise<void> {
  const { id } = await holdfast.createSession({ profile: 'moved' });
  const files = filesClient(holdfast, id);
  expect((await files.put('/tmp/x/y.txt', 'outside')).status).toBe(201);
  const code = 'cat /tmp/x/y.txt; ln -s /etc/passwd /tmp/x/link; ls /usr/share | head -1';
  const { stdout, artifacts } = await holdfast.runStep(id, { language: 'bash', code });
  expect([stdout.startsWith('outside'), artifacts]).toEqual([true, []]);
  const stat = async (path: string) => (await files.ask('GET', 'stat', { query: { path } })).json();
  expect(await stat('/tmp/x/link')).toMatchObject({ kind: 'link', linkTarget: '/etc/passwd' });
  expect(await stat('/tmp/x/y.txt')).toMatchObject({ kind: 'file', size: 7, path: '/tmp/x/y.txt' });
  expect((await files.get('/tmp/x/link')).code).toBe('outside-workspace');
  expect((await files.get('/etc/passwd')).code).toBe('outside-workspace');
  expect((await files.list({ path: '/usr/share' })).json().items.length).toBeGreaterThan(0);
  expect((await files.put('/usr/share/new.txt', 'no')).status).toBeGreaterThanOrEqual(400);
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
}

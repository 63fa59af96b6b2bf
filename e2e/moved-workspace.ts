import { expect } from 'vitest';
import { processClient } from '../data-plane/test/processes/process-client.ts';
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

/**
 * Expects every way in which a program finds out its user to have the name and the home directory of the profile. git guesses its author from
 * the account, and refuses if there is none.
 */
export async function expectUser(holdfast: Holdfast): Promise<void> {
  const { id } = await holdfast.createSession({ profile: 'moved', files: { 'a.txt': 'one' } });
  const shell = async (code: string) => (await holdfast.runStep(id, { language: 'bash', code })).stdout;
  const names = 'whoami; id -un; id -gn; stat -c "%U %G" a.txt; env -u USER -u LOGNAME -u HOME bash -c "echo ~ ~user"';
  expect(await shell(names)).toBe('user\nuser\nuser\nuser user\n/home/user /home/user\n');
  expect(await shell(`prompt='\\u:\\w'; echo \${prompt@P}`)).toBe('user:~\n');
  expect(await shell('EMAIL=user@example.com git var GIT_AUTHOR_IDENT')).toMatch(/^user <user@example.com> /);
  const lines = [
    'import os, pwd, getpass',
    'account = pwd.getpwuid(os.getuid())',
    'print(account.pw_name, account.pw_dir, getpass.getuser(), os.path.expanduser("~user/x"), pwd.getpwnam("root").pw_uid)',
  ];
  const python = await holdfast.runStep(id, { language: 'python', code: lines.join('\n') });
  expect(python.stdout).toBe('user /home/user user /home/user/x 0\n');
  const node = await holdfast.runStep(id, {
    language: 'node',
    code: 'const { username, homedir } = os.userInfo(); console.log(username, homedir)',
  });
  expect(node.stdout).toBe('user /home/user\n');
  expect(await processClient(holdfast, id).run({ command: ['whoami'] })).toMatchObject({ stdout: 'user\n' });
  const files = filesClient(holdfast, id);
  const stat = (await files.ask('GET', 'stat', { query: { path: 'a.txt' } })).json();
  expect(stat).toMatchObject({ owner: 'user', group: 'user' });
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

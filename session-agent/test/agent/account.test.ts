import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startWithFiles } from '../support/files-client.ts';

const [uid, gid] = [process.getuid?.(), process.getgid?.()];

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-accounts-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

test('writes the account of its user in the forms of passwd(5) and group(5), and describes files with its name', async () => {
  const accounts = join(folder(), 'accounts');
  const profile = { HOLDFAST_SANDBOX_USER: 'user', HOLDFAST_AGENT_ACCOUNTS: accounts, HOME: '/home/user' };
  await using agent = await startWithFiles(profile);
  expect(readFileSync(join(accounts, 'passwd'), 'utf8')).toBe(`user:x:${uid}:${gid}:user:/home/user:/bin/bash\n`);
  expect(readFileSync(join(accounts, 'group'), 'utf8')).toBe(`user:x:${gid}:\n`);
  writeFileSync(join(agent.workspace, 'a.txt'), '');
  expect((await agent.ask('GET', 'files/stat', { path: 'a.txt' })).json()).toMatchObject({
    owner: 'user',
    group: 'user',
    uid,
    gid,
  });
});

test('serves without a name if the place for it cannot be written', async () => {
  const accounts = folder();
  mkdirSync(join(accounts, 'passwd'));
  await using agent = await startWithFiles({ HOLDFAST_SANDBOX_USER: 'user', HOLDFAST_AGENT_ACCOUNTS: accounts });
  expect(agent.log()).toContain('the name of the user cannot be written');
  expect((await agent.ask('GET', 'files/list', { path: '' })).status).toBe(200);
});

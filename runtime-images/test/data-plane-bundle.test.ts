import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../data-plane/test/support/postgres.ts';
import { bundleDataPlane } from '../bundle-data-plane.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-bundle-'));
  await bundleDataPlane(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the bundled data-plane creates its tables and serves outside the repository', async () => {
  const database = await createTestDatabase({ template: 'template1' });
  const program = start({ DATABASE_URL: database.url });
  try {
    const url = /ready on (http:\S+)/.exec(await program.says(/ready on /))?.[1];
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('holdfast_');
    expect((await fetch(`${url}/v1/sessions`)).status).toBe(200);
    program.child.kill('SIGTERM');
    expect(await program.exited).toEqual([0, null]);
  } finally {
    program.child.kill('SIGKILL');
    await program.exited;
    await database.drop();
  }
});

const kubernetes = { HOLDFAST_PROFILES_FILE: '/missing.json', KUBECONFIG: '/missing.yaml' };

test.each([
  ['kubernetes', kubernetes, /HOLDFAST_PROFILES_FILE .*missing\.json/],
  ['container', { DOCKER_SOCKET_PATH: '/missing.sock' }, /DOCKER_SOCKET_PATH .*missing\.sock/],
])('the bundle contains the client of the %s runtime', async (runtime, env, says) => {
  const database = await createTestDatabase({ template: 'template1' });
  const program = start({ DATABASE_URL: database.url, HOLDFAST_RUNTIME: runtime, ...env });
  try {
    expect(await program.says(says)).not.toMatch(/Cannot find|ERR_MODULE|TypeError/);
    expect(await program.exited).toEqual([78, null]);
  } finally {
    program.child.kill('SIGKILL');
    await program.exited;
    await database.drop();
  }
});

function start(env: Record<string, string>) {
  const child = spawn(process.execPath, [join(folder, 'data-plane/dist/main.mjs')], {
    env: {
      PATH: process.env.PATH,
      HOLDFAST_ENV: 'development',
      HOLDFAST_PORT: '0',
      HOLDFAST_DATA_DIR: join(folder, 'home'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { child, exited: once(child, 'exit'), says: (pattern: RegExp) => output(child, pattern) };
}

/** Resolves with the program's output so far as soon as it matches. */
function output(child: ChildProcess, pattern: RegExp): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      text += chunk;
      if (pattern.test(text)) resolve(text);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('close', () => reject(new Error(`it ended without saying so: ${text}`)));
  });
}

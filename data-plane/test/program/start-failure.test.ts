import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { programPath } from '../../../runtime-images/test/support/program-path.ts';
import { startFailure } from '../../src/start/start-failure.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { startHoldfast, temporaryDataDir } from '../support/start-holdfast.ts';

const main = programPath('data-plane/src/main.ts');

let dataDir: Awaited<ReturnType<typeof temporaryDataDir>>;

beforeEach(async () => {
  dataDir = await temporaryDataDir();
});
afterEach(() => dataDir.remove());

/** The output of a program that does not start: its exit code, and each line that the operator reads. */
async function refusal(env: Record<string, string>): Promise<{ exit: string; lines: string[] }> {
  const error: Error = await startHoldfast({ HOLDFAST_DATA_DIR: dataDir.path, ...env }).then(
    () => new Error('it started'),
    (reason) => reason,
  );
  const [first = '', ...said] = error.message.split('\n');
  return { exit: first, lines: said.filter((line) => !line.startsWith('  the process runtime')) };
}

test.each([
  ['postgres://user:hunter2@127.0.0.1:1/db'],
  ['postgres://user:hunter2@localhost:1/db'],
  ['postgres://user:hunter2@nowhere.invalid/db'],
])('a database that cannot be reached is one line, without its password: %s', async (url) => {
  const { exit, lines } = await refusal({ DATABASE_URL: url });
  expect(exit).toContain('exited with 1');
  expect(lines).toEqual([
    expect.stringMatching(/^holdfast: the database cannot be reached \(.+\); check DATABASE_URL/),
  ]);
  expect(lines.join()).not.toContain('hunter2');
});

test('a database that a newer version has migrated is one line, and the exit code is that of a wrong configuration', async () => {
  const database = await createTestDatabase();
  try {
    await database.owner.sql`insert into drizzle.__drizzle_migrations (hash, created_at)
      values ('newer', (select max(created_at) + 1 from drizzle.__drizzle_migrations))`;
    const { exit, lines } = await refusal({ DATABASE_URL: database.url });
    expect(exit).toContain('exited with 78');
    expect(lines.join('\n')).toMatch(/the database was migrated by a newer version of Holdfast/);
  } finally {
    await database.drop();
  }
});

test('a role that owns nothing does not start before the command migrate, which says so, and starts and serves after it', async () => {
  const database = await createTestDatabase({ template: 'template1' });
  try {
    const { user, password } = inject('postgres').program;
    const own = new URL(database.url);
    Object.assign(own, { username: user, password });
    const { exit, lines } = await refusal({ DATABASE_URL: own.href });
    expect(exit).toContain('exited with 78');
    expect(lines.slice(1)).toEqual([
      '  the database has no tables of this version, and this role may not make them: run the command migrate first, with the role that owns them (see deploy/README.md)',
    ]);
    const both = { DATABASE_URL: own.href, HOLDFAST_MIGRATION_DATABASE_URL: database.ownerUrl };
    expect(await command(['migrate'], both)).toEqual({ code: 0, said: '' });
    const holdfast = await startHoldfast({ HOLDFAST_DATA_DIR: dataDir.path, DATABASE_URL: own.href });
    try {
      const { id } = await holdfast.createSession({ language: 'bash' });
      expect(await holdfast.runStep(id, { code: 'echo served' })).toMatchObject({ stdout: 'served\n' });
    } finally {
      await holdfast.stop();
    }
  } finally {
    await database.drop();
  }
}, 120_000);

test('a command that does not exist, or has no database, is refused', async () => {
  expect(await command(['migrat'], {})).toEqual({
    code: 78,
    said: expect.stringContaining('the commands are migrate and purge-audit'),
  });
  expect(await command(['migrate'], {})).toEqual({
    code: 78,
    said: expect.stringContaining('DATABASE_URL is required'),
  });
});

test('the command migrate names the setting of the URL that it cannot use', async () => {
  const database = await createTestDatabase();
  try {
    const missing = database.ownerUrl.replace(/\/[^/?]+(\?|$)/, '/missing$1');
    const both = { DATABASE_URL: database.url, HOLDFAST_MIGRATION_DATABASE_URL: missing };
    const refused = (url: string) => ({
      code: 1,
      said: expect.stringMatching(`^holdfast: the database refused the connection .*; check ${url}\n$`),
    });
    expect(await command(['migrate'], both)).toEqual(refused('HOLDFAST_MIGRATION_DATABASE_URL'));
    expect(await command(['migrate'], { DATABASE_URL: missing })).toEqual(refused('DATABASE_URL'));
  } finally {
    await database.drop();
  }
});

/** Runs the program with arguments until it ends. */
async function command(args: string[], env: Record<string, string>): Promise<{ code: number; said: string }> {
  const child = spawn(process.execPath, [main, ...args], { env: { PATH: process.env.PATH, ...env } });
  const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  return { code, said };
}

test('a database that does not exist is one line', async () => {
  const database = await createTestDatabase();
  try {
    const url = database.url.replace(/\/[^/?]+(\?|$)/, '/missing$1');
    const { lines } = await refusal({ DATABASE_URL: url });
    expect(lines).toEqual([
      expect.stringMatching(/^holdfast: the database refused the connection \(database "missing"/),
    ]);
  } finally {
    await database.drop();
  }
});

test('a data directory that cannot be created is one line', async () => {
  const file = join(dataDir.path, 'file');
  await writeFile(file, '');
  const { lines } = await refusal({ HOLDFAST_DATA_DIR: join(file, 'data') });
  expect(lines).toEqual([expect.stringMatching(/^holdfast: ENOTDIR: .*; set HOLDFAST_DATA_DIR/)]);
});

test('a data directory whose link leads nowhere is one line', async () => {
  const link = join(dataDir.path, 'link');
  await symlink(join(dataDir.path, 'missing', 'data'), link);
  const { lines } = await refusal({ HOLDFAST_DATA_DIR: link });
  expect(lines).toEqual([expect.stringMatching(/^holdfast: ENOENT: .*; set HOLDFAST_DATA_DIR/)]);
});

test('a data directory without write permission is one line', async () => {
  const error = Object.assign(new Error("EACCES: permission denied, mkdir '/data'"), {
    code: 'EACCES',
    syscall: 'mkdir',
    path: '/data',
  });
  expect(startFailure(error)).toBe(`${error.message}; set HOLDFAST_DATA_DIR to choose another data directory`);
});

test('an unknown error is printed with its stack', () => {
  const error = new Error('odd', { cause: new Error('cause') });
  expect(startFailure(error)).toBe(error.stack);
});

test('names an unusable Python, and exits with the code for a faulty configuration', async () => {
  const { exit, lines } = await refusal({ HOLDFAST_PYTHON: '/bin/false' });
  expect(exit).toContain('exited with 78');
  expect(lines.join('\n')).toContain('HOLDFAST_PYTHON "/bin/false" cannot be run');
});

test('warns without a Python, and runs the other languages', async () => {
  const database = await createTestDatabase();
  const withoutPython = join(dataDir.path, 'bin');
  await mkdir(withoutPython);
  await symlink('/usr/bin/mkfifo', join(withoutPython, 'mkfifo'));
  const env = { HOLDFAST_DATA_DIR: dataDir.path, DATABASE_URL: database.url, PATH: withoutPython };
  const holdfast = await startHoldfast(env);
  try {
    const said = holdfast.output.filter((line) => line.startsWith('  Python sessions will not run'));
    expect(said).toHaveLength(1);
    const { id } = await holdfast.createSession({ language: 'node' });
    expect(await holdfast.runStep(id, { code: '40 + 2' })).toMatchObject({ status: 'succeeded' });
  } finally {
    await holdfast.stop();
    await database.drop();
  }
});

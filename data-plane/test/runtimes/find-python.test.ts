import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findPython } from '../../src/runtimes/process/find-python.ts';

const { PATH: path = '', HOME: home = '' } = process.env;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-python-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** A program that answers as an interpreter would. */
async function interpreter(name: string, script: string): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

test('finds the interpreter itself, by its absolute path', async () => {
  const { python } = await findPython({ wanted: null, path, home });
  expect(python).toMatch(/^\//);
  expect(await findPython({ wanted: python, path: '/nowhere', home })).toEqual({ python });
});

test.each([
  ['does not exist', null],
  ['cannot be run (exit code 1)', 'exit 1'],
  ['is not Python', 'echo hello'],
  ['is Python 3.8; 3.9 or later is needed', 'echo 3.8 /usr/bin/python3.8'],
  ['is Python 2.7; 3.9 or later is needed', 'echo 2.7 /usr/bin/python2.7'],
])('rejects a given Python that %s, and says so', async (fault, script) => {
  const wanted = script === null ? join(directory, 'missing') : await interpreter('snake', script);
  expect(await findPython({ wanted, path, home })).toEqual({ python: null, fault: `"${wanted}" ${fault}` });
});

test('says that the path has no python3', async () => {
  expect(await findPython({ wanted: null, path: directory, home })).toEqual({
    python: null,
    fault: '"python3" does not exist',
  });
});

test('rejects a python3 on the path that is too old, and says so', async () => {
  await interpreter('python3', 'echo 3.6 /usr/bin/python3.6');
  expect(await findPython({ wanted: null, path: directory, home })).toMatchObject({
    python: null,
    fault: expect.stringContaining('3.6'),
  });
});

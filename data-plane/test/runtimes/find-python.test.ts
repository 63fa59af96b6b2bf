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

test('the interpreter itself is found, by its absolute path', async () => {
  const { python } = await findPython({ wanted: null, path, home });
  expect(python).toMatch(/^\//);
  expect(await findPython({ wanted: python, path: '/nowhere', home })).toEqual({ python });
});

test.each([
  ['is not there', null],
  ['cannot be run (exit code 1)', 'exit 1'],
  ['is no Python', 'echo hello'],
  ['is Python 3.8; 3.9 or later is needed', 'echo 3.8 /usr/bin/python3.8'],
  ['is Python 2.7; 3.9 or later is needed', 'echo 2.7 /usr/bin/python2.7'],
])('a wanted Python that %s is not used, and what is wrong is said', async (fault, script) => {
  const wanted = script === null ? join(directory, 'missing') : await interpreter('snake', script);
  expect(await findPython({ wanted, path, home })).toEqual({ python: null, fault: `"${wanted}" ${fault}` });
});

test('no python3 on the path is said', async () => {
  expect(await findPython({ wanted: null, path: directory, home })).toEqual({
    python: null,
    fault: '"python3" is not there',
  });
});

test('a python3 on the path that is too old is not used, and said', async () => {
  await interpreter('python3', 'echo 3.6 /usr/bin/python3.6');
  expect(await findPython({ wanted: null, path: directory, home })).toMatchObject({
    python: null,
    fault: expect.stringContaining('3.6'),
  });
});

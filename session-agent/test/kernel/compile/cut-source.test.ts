import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { kernelConfig } from '../../support/open-kernel.ts';

const run = promisify(execFile);
const here = import.meta.dirname;

test('a step that is compiled without a syntax tree has the code that its tree gives', async () => {
  const { python } = await kernelConfig();
  const program = join(here, 'compile_both.py');
  const { stdout } = await run(python, ['-B', program, join(here, '../../../src/languages/python'), '1', '20000']);
  expect(Number(stdout)).toBeGreaterThan(1000);
});

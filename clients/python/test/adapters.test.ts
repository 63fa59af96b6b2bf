import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInstallation, type Installation } from '../../../data-plane/test/support/installation.ts';
import { adapterPython, packageFolder, runPython } from './support/python-environment.ts';

// Reading the list of packages and installing them takes minutes, once for each machine.
const python = await adapterPython();
let installation: Installation;
let url: string;

describe.skipIf(!python)('with the packages of the frameworks', () => {
  beforeAll(async () => {
    installation = await createInstallation();
    ({ url } = await installation.start());
  });
  afterAll(() => installation?.[Symbol.asyncDispose]());

  test.each(['langchain', 'deepagents', 'openai_agents', 'codebox', 'limits'])(
    'passes the tests of test_%s.py',
    { timeout: 300_000 },
    async (name) => {
      const output = await runPython(python as string, ['-m', 'unittest', '-v', `test_${name}`], {
        cwd: join(packageFolder, 'test/adapters'),
        env: { HOLDFAST_URL: url, PYTHONPATH: join(packageFolder, 'src'), LANGSMITH_TRACING: 'false' },
      });
      expect(output).toMatch(/\nRan [1-9]\d* tests? in .*\n\nOK\n$/);
    },
  );

  test('the types of the adapters hold strictly', { timeout: 180_000 }, async () => {
    const modules = ['langchain.py', 'deepagents.py', 'openai_agents', 'codebox.py'].map(
      (name) => `src/holdfast/${name}`,
    );
    expect(
      await runPython(python as string, [
        '-m',
        'mypy',
        '--follow-imports',
        'silent',
        '--cache-dir',
        '/dev/null',
        ...modules,
      ]),
    ).toMatch(/^Success: no issues/);
  });
});

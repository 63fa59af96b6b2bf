import { execFile } from 'node:child_process';
import { mkdtempDisposable, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

  test('every public name of the adapters is documented, and the reference has their pages', {
    timeout: 180_000,
  }, async () => {
    const env = { PYTHONPATH: join(packageFolder, 'src') };
    const cwd = join(packageFolder, 'test/unit');
    expect(await runPython(python as string, ['-m', 'unittest', 'test_documentation'], { cwd, env })).toMatch(
      /\nOK\n$/,
    );
    await using pages = await mkdtempDisposable(join(tmpdir(), 'holdfast-reference-'));
    await promisify(execFile)('sh', [join(packageFolder, 'generate/reference'), pages.path], {
      env: { ...process.env, PYTHON: python as string },
    });
    const names = ['codebox', 'deepagents', 'langchain', 'openai_agents'].map((name) => `${name}.html`);
    expect(await readdir(join(pages.path, 'holdfast'))).toEqual(expect.arrayContaining(names));
  });

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

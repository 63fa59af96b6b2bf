import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstallation } from '../../../data-plane/test/support/installation.ts';
import { clientPython, packageFolder, plainPython, runPython } from './support/python-environment.ts';

let python: string;
let folder: string;

beforeAll(async () => {
  python = await clientPython();
  folder = await mkdtemp(join(tmpdir(), 'holdfast-client-'));
}, 300_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(['retries', 'streams', 'models', 'cancellation', 'results', 'documentation'])(
  'passes the tests of test_%s.py',
  async (name) => {
    const output = await runPython(python, ['-m', 'unittest', `test_${name}`], {
      cwd: join(packageFolder, 'test/unit'),
      env: { PYTHONPATH: join(packageFolder, 'src') },
    });
    expect(output).toMatch(/\nRan [1-9]\d* tests? in .*\n\nOK\n$/);
  },
);

test('the models are those of the committed API document', async () => {
  const document = join(packageFolder, '../../specs/openapi/holdfast.json');
  const generated = await runPython(python, ['generate/models.py', document]);
  expect(await readFile(join(packageFolder, 'src/holdfast/models.py'), 'utf8')).toBe(generated);
});

test('the synchronous half is that of the asynchronous one', async () => {
  const target = join(folder, '_sync');
  await mkdir(target);
  await runPython(python, ['generate/sync.py', 'src/holdfast/_async', target]);
  const generated = await readdir(target);
  expect(generated.length).toBeGreaterThan(10);
  for (const name of generated) {
    const committed = await readFile(join(packageFolder, 'src/holdfast/_sync', name), 'utf8');
    expect(committed).toBe(await readFile(join(target, name), 'utf8'));
  }
});

test('the types hold strictly, also in a program as users write it', { timeout: 180_000 }, async () => {
  const checked = ['src/holdfast', 'test/typed/program.py'];
  expect(await runPython(python, ['-m', 'mypy', '--cache-dir', join(folder, 'mypy'), ...checked])).toMatch(
    /^Success: no issues/,
  );
});

test('a document without a field that the client reads makes models that the client does not fit', {
  timeout: 180_000,
}, async () => {
  const document = JSON.parse(await readFile(join(packageFolder, '../../specs/openapi/holdfast.json'), 'utf8'));
  const { Step } = document.components.schemas;
  delete Step.properties.finishedAt;
  Step.required = Step.required.filter((name: string) => name !== 'finishedAt');
  const changed = join(folder, 'changed');
  await mkdir(changed);
  await writeFile(join(changed, 'openapi.json'), JSON.stringify(document));
  await cp(join(packageFolder, 'src/holdfast'), join(changed, 'holdfast'), { recursive: true });
  const models = await runPython(python, ['generate/models.py', join(changed, 'openapi.json')]);
  await writeFile(join(changed, 'holdfast/models.py'), models);
  const config = join(packageFolder, 'pyproject.toml');
  const checked = runPython(python, ['-m', 'mypy', '--config-file', config, '--cache-dir', '/dev/null', 'holdfast'], {
    cwd: changed,
  });
  await expect(checked).rejects.toThrow(/error: .*"finished_at"/);
});

test('the wheel runs the first lines of its README in an empty environment', { timeout: 300_000 }, async () => {
  const source = join(folder, 'source');
  for (const name of ['pyproject.toml', 'README.md', 'LICENSE', 'src'])
    await cp(join(packageFolder, name), join(source, name), { recursive: true });
  await runPython(await plainPython(), ['-m', 'venv', join(folder, 'empty')]);
  const empty = join(folder, 'empty/bin/python');
  await runPython(empty, ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', join(folder, 'wheels'), source]);
  const [wheel = ''] = await readdir(join(folder, 'wheels'));
  await runPython(empty, ['-m', 'pip', 'install', '--quiet', join(folder, 'wheels', wheel)]);
  const program = /```python\n(.*?)```/s.exec(await readFile(join(packageFolder, 'README.md'), 'utf8'))?.[1] ?? '';
  await using installation = await createInstallation();
  const { url } = await installation.start();
  const output = await runPython(empty, ['-c', program], { cwd: folder, env: { HOLDFAST_URL: url } });
  expect(output).toBe('42\n');
});

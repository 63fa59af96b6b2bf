import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ExtrasInput, provideExtras } from '../../src/runtimes/process/python-extras/provide-extras.ts';
import { createExtras, createPython } from '../support/packages/python-environments.ts';
import { nothingRunsIn } from '../support/start-holdfast.ts';

let folder: string;
let python: string;
let extras: Awaited<ReturnType<typeof createExtras>>;
let dataDir: string;
let said: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-extras-'));
  python = await createPython(join(folder, 'python'), { pip: true });
  extras = await createExtras(python, join(folder, 'wheels'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  dataDir = await mkdtemp(join(folder, 'data-'));
  said = [];
});

const input = (changes: Partial<ExtrasInput> = {}): ExtrasInput => ({
  python,
  ...extras,
  dataDir,
  log: { warn: () => {} },
  progress: (text) => said.push(text),
  ...changes,
});
/** The packages and the drafts that an installation leaves if it fails. */
const leftovers = async () => {
  const names = await readdir(join(dataDir, 'python-extras'));
  return await Promise.all(names.map((name) => readdir(join(dataDir, 'python-extras', name)))).then((all) =>
    all.flat(),
  );
};
const imported = (where: string) =>
  execFileSync(
    python,
    ['-c', `import sys; sys.path.append(${JSON.stringify(where)}); import IPython; print(IPython.found)`],
    {
      encoding: 'utf8',
    },
  ).trim();

test('installs the packages beside the start, and once', async () => {
  const provided = await provideExtras(input());
  expect(said).toEqual([expect.stringMatching(/^installing IPython .*HOLDFAST_PYTHON_EXTRAS=none/)]);
  expect(await readdir(provided?.folder ?? '')).toEqual([]);
  await provided?.settled;
  expect(said.slice(1)).toEqual([expect.stringContaining('IPython is installed')]);
  expect(imported(provided?.folder ?? '')).toBe(join(provided?.folder ?? '', 'IPython.py'));
  const again = await provideExtras(input());
  expect(again?.folder).toBe(provided?.folder);
  expect(said).toHaveLength(2);
});

test('a process that searches the empty folder finds the packages once they are installed', async () => {
  const provided = await provideExtras(input());
  const program = `
import sys; sys.path.append(sys.argv[1])
try:
    import IPython
except ImportError:
    print('missing', flush=True)
sys.stdin.readline()
import IPython; print(IPython.found)`;
  const child = spawn(python, ['-c', program, provided?.folder ?? '']);
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
    if (output === 'missing\n') void provided?.settled.then(() => child.stdin.write('\n'));
  });
  await once(child, 'close');
  expect(output).toBe(`missing\n${join(provided?.folder ?? '', 'IPython.py')}\n`);
});

test('a Python with packages of its own needs none', async () => {
  const own = await createPython(join(folder, 'with-own'), { pip: false });
  const packages = execFileSync(own, ['-c', 'import site; print(site.getsitepackages()[0], end="")'], {
    encoding: 'utf8',
  });
  await writeFile(join(packages, 'IPython.py'), '');
  await writeFile(join(packages, 'cloudpickle.py'), '');
  await mkdir(join(packages, 'matplotlib_inline'));
  await writeFile(join(packages, 'matplotlib_inline/__init__.py'), '');
  expect(await provideExtras(input({ python: own }))).toBeNull();
  expect(said).toEqual([]);
});

test('without pip it says what is missing', async () => {
  const bare = await createPython(join(folder, 'bare'), { pip: false });
  expect(await provideExtras(input({ python: bare }))).toBeNull();
  expect(said).toEqual([expect.stringMatching(/lacks IPython.*it has no pip/)]);
});

test('packages with another hash are not installed, and pip says so', async () => {
  const requirements = join(dataDir, 'wrong.txt');
  await writeFile(requirements, `extras==1.0 --hash=sha256:${'0'.repeat(64)}\n`);
  await (await provideExtras(input({ requirements })))?.settled;
  expect(said[1]).toMatch(/lacks IPython.*HASHES/i);
  expect(await leftovers()).toEqual([]);
});

test("a user's settings for other installations do not stop this one", async () => {
  const env = { ...extras.env, PIP_USER: '1', PIP_REQUIRE_VIRTUALENV: '1', PIP_DRY_RUN: '1' };
  const provided = await provideExtras(input({ env }));
  await provided?.settled;
  expect(await readdir(provided?.folder ?? '')).toContain('IPython.py');
});

test('an installation that was killed is begun anew, and its draft is removed', async () => {
  await mkdir(join(dataDir, 'python-extras/draft-old/packages'), { recursive: true });
  const provided = await provideExtras(input());
  await provided?.settled;
  expect(await readdir(join(dataDir, 'python-extras'))).toHaveLength(1);
});

/** An index that accepts connections and never answers. */
async function silentIndex() {
  const connected = Promise.withResolvers<void>();
  const server = createServer(() => connected.resolve()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const env = {
    ...extras.env,
    PIP_NO_INDEX: '0',
    PIP_INDEX_URL: `http://127.0.0.1:${port}/simple`,
    PIP_FIND_LINKS: '',
  };
  return { env, connected: connected.promise, [Symbol.dispose]: () => void server.close() };
}

test('pip ends with its data-plane, and leaves nothing', async () => {
  using index = await silentIndex();
  const provided = await provideExtras(input({ env: index.env }));
  await index.connected;
  await provided?.close();
  await nothingRunsIn(dataDir);
  expect(await leftovers()).toEqual([]);
  expect(said).toHaveLength(1);
});

test('pip ends when its time is over', async () => {
  using index = await silentIndex();
  const provided = await provideExtras(input({ env: index.env }), { withinMs: 3000 });
  await provided?.settled;
  await nothingRunsIn(dataDir);
  expect(said[1]).toContain('pip did not end in time');
});

test('a folder that cannot be made is said, and keeps nothing from starting', async () => {
  await writeFile(join(dataDir, 'python-extras'), '');
  expect(await provideExtras(input())).toBeNull();
  expect(said).toEqual([expect.stringMatching(/lacks IPython.*ENOTDIR/)]);
});

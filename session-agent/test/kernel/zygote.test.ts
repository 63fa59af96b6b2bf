import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readProcess } from '../../src/kernel-process/end/list-processes.ts';
import type { Zygote } from '../../src/kernel-process/zygote/zygote.ts';
import { kernelConfig, type OpenKernel, openKernel, openZygote } from '../support/open-kernel.ts';
import { type PythonWithLibrary, pythonWithLibrary } from '../support/python-with-library.ts';
import { until } from '../support/until.ts';

let library: PythonWithLibrary;
let zygote: Zygote;
beforeAll(async () => {
  library = await pythonWithLibrary();
  zygote = await openZygote({ ...(await kernelConfig()), python: library.python }, ['counted', 'not_there']);
});
afterAll(() => {
  zygote?.end();
  library?.[Symbol.dispose]();
});

/** Opens a kernel, which the zygote forks if it can serve it. */
async function open(wish: { env?: Record<string, string>; cwd?: string; limits?: { cpuSeconds: number } } = {}) {
  await until('a kernel in reserve', zygote.isWarm);
  return openKernel('python', { cwd: library.empty, ...wish, config: { python: library.python, zygote } });
}

const isForked = ({ kernel }: OpenKernel) => readProcess(kernel.pid)?.parent !== process.pid;

test('a kernel of the zygote has its libraries loaded, without those that cannot be loaded', async () => {
  await using kernel = await open();
  const parent = readProcess(kernel.kernel.pid)?.parent;
  expect(parent).not.toBe(process.pid);
  expect((await kernel.run('import counted; counted.loaded_by')).shown).toBe(String(parent));
  expect((await kernel.run('import not_there')).error?.name).toBe('ModuleNotFoundError');
});

test('kernels of one zygote share only the loaded libraries', async () => {
  await using first = await open({ env: { OWN: 'first' } });
  await using second = await open();
  expect([isForked(first), isForked(second)]).toEqual([true, true]);
  await first.run('import counted; counted.loaded_by = kept = 1');
  expect(
    (await second.run('import counted, os; (counted.loaded_by == 1, "kept" in dir(), os.getenv("OWN"))')).shown,
  ).toBe('(False, False, None)');
  const random = 'import random, uuid; (random.random(), uuid.uuid4())';
  expect((await first.run(random)).shown).not.toBe((await second.run(random)).shown);
});

test('a kernel of the zygote is in its own directory, session and time zone', async () => {
  await using kernel = await open({ env: { TZ: 'Asia/Tokyo', GIVEN: 'yes' } });
  const code = `import os, time, tempfile
(os.getcwd(), os.getsid(0) == os.getpgrp() == os.getpid(), time.tzname[0], os.environ['GIVEN'])`;
  expect((await kernel.run(code)).shown).toBe(`('${library.empty}', True, 'JST', 'yes')`);
  writeFileSync(join(library.empty, 'beside.py'), 'found = 1');
  expect((await kernel.run('import beside; beside.found')).shown).toBe('1');
  expect((await kernel.run('import subprocess; subprocess.getoutput("date +%Z; echo $GIVEN")')).shown).toBe(
    String.raw`'JST\nyes'`,
  );
  expect(isForked(kernel)).toBe(true);
});

test('a kernel of the zygote has only the descriptors of a kernel', async () => {
  const code = 'import os; sorted(fd for fd in map(int, os.listdir("/proc/self/fd")) if fd < 100)[:-1]';
  await using forked = await open();
  await using direct = await open({ env: { PYTHONUNBUFFERED: '' } });
  expect([isForked(forked), isForked(direct)]).toEqual([true, false]);
  expect((await forked.run(code)).shown).toBe((await direct.run(code)).shown);
});

test('a kernel in reserve has removed the names of its FIFOs', async () => {
  const tmp = join(library.empty, 'tmp');
  mkdirSync(tmp);
  const other = await openZygote({ ...(await kernelConfig()), tmp }, []);
  try {
    await until('the folder to be empty', () => readdirSync(tmp).length === 0);
    expect(other.isWarm()).toBe(true);
  } finally {
    other.end();
  }
});

test.for([
  ['variables that act when an interpreter starts', { env: { PYTHONPATH: '/nowhere' } }],
  ['limits', { limits: { cpuSeconds: 1000 } }],
] as const)('a kernel that the zygote cannot give is started by itself: %s', async ([, wish]) => {
  await using kernel = await open(wish);
  expect(isForked(kernel)).toBe(false);
  expect((await kernel.run('import counted, os; counted.loaded_by == os.getpid()')).shown).toBe('True');
});

test.for(['counted.py', 'counted/__init__.py', 'counted.abi3.so'])(
  "a kernel whose directory has a module by a loaded one's name is started by itself: %s",
  async (name) => {
    const cwd = join(library.empty, `with-${name.replaceAll('/', '-')}`);
    mkdirSync(join(cwd, name, '..'), { recursive: true });
    writeFileSync(join(cwd, name), 'loaded_by = "here"');
    await using kernel = await open({ cwd });
    expect(isForked(kernel)).toBe(false);
  },
);

test('files of other kinds with the name of a library do not prevent a fork', async () => {
  const cwd = join(library.empty, 'tables');
  mkdirSync(join(cwd, 'counted'), { recursive: true });
  writeFileSync(join(cwd, 'counted.csv'), '1');
  await using kernel = await open({ cwd });
  expect(isForked(kernel)).toBe(true);
});

test('a missing directory is the same error as without a zygote', async () => {
  await expect(open({ cwd: '/nowhere' })).rejects.toThrow('cannot be started in /nowhere');
});

test('the next kernel and a new zygote see packages that are installed later', async () => {
  library.install('counted', 'loaded_by = "installed"');
  library.install('late_package', '');
  await using kernel = await open();
  expect(isForked(kernel)).toBe(false);
  expect((await kernel.run('import counted, late_package; counted.loaded_by')).shown).toBe("'installed'");
  await using next = await open();
  expect(isForked(next)).toBe(true);
  expect((await next.run('import sys; sys.modules["counted"].loaded_by')).shown).toBe("'installed'");
});

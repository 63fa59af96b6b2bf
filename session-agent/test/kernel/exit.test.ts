import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { missing, type TestedLanguage } from '../support/kernel-languages.ts';
import { openKernel } from '../support/open-kernel.ts';
import { until } from '../support/until.ts';

type Case = readonly [code: string, exitCode: number];

const python: readonly Case[] = [
  ['kept = 1; import sys; print("out"); sys.exit(3)', 3],
  ['kept = 1; exit()', 0],
  ['kept = 1; quit(2)', 2],
  ['kept = 1\nexit', 0],
  ['kept = 1; quit', 0],
  ['kept = 1\ndef inner():\n  try: raise SystemExit(-1)\n  finally: print("finally")\ninner()', 255],
  ['kept = 1; import asyncio\nawait asyncio.sleep(0)\nexit(4)', 4],
  [
    'import unittest\nkept = 1\nclass T(unittest.TestCase):\n  def test_a(self): self.fail()\nunittest.main(argv=["t"])',
    1,
  ],
  ['import unittest\nkept = 1\nclass T(unittest.TestCase):\n  def test_a(self): pass\nunittest.main(argv=["t"])', 0],
];

const node: readonly Case[] = [
  ['var kept = 1; console.log("out"); process.exit(3); console.log("never")', 3],
  ['var kept = 1; process.exit()', 0],
  ['var kept = 1; try { process.exit(2) } catch { console.log("never") } finally { console.log("never") }', 2],
  ['var kept = 1; await null; process.exit(4); console.log("never")', 4],
  ['var kept = 1; setTimeout(() => { process.exit(5); console.log("never") }, 1); await new Promise(() => {})', 5],
  ['var kept = 1; setTimeout(() => console.log("never"), 20); process.exit("6")', 6],
  ['var kept = 1; process.exitCode = 7; process.exit()', 7],
  ['var kept = 1; [1, 2].forEach(() => { process.exit(8); console.log("never") })', 8],
];

const ruby: readonly Case[] = [
  ['kept = 1; puts "out"; exit 3; puts "never"', 3],
  ['kept = 1; exit', 0],
  ['kept = 1; begin; [1].each { exit(-1) }; ensure; puts "ensured"; end; puts "never"', 255],
  ['kept = 1; catch(:done) { Process.exit 4 }; puts "never"', 4],
  ['kept = 1; Thread.new { exit 5 }.join; puts "never"', 5],
];

for (const [language, cases] of Object.entries({ python, node, ruby })) {
  test.skipIf(missing(language as TestedLanguage)).for(cases)(
    `${language}: code that exits ends its step, and the state stays: %s`,
    async ([code, exitCode]) => {
      await using open = await openKernel(language as TestedLanguage);
      const { end, stdout, error } = await open.run(code);
      expect(end).toEqual({ status: exitCode === 0 ? 'succeeded' : 'failed', streamIncomplete: false, exitCode });
      expect(error?.message).toBe(exitCode === 0 ? undefined : String(exitCode));
      expect(stdout).not.toContain('never');
      for (let again = 0; again < 3; again++) {
        const next = await open.run('kept');
        expect([next.end, next.shown, next.stdout]).toEqual([
          { status: 'succeeded', streamIncomplete: false },
          '1',
          '',
        ]);
      }
    },
  );
}

test('python: sys.exit with a text prints it on stderr', async () => {
  await using open = await openKernel('python');
  const { end, stderr, error } = await open.run('import sys; sys.exit("reason")');
  expect([end, stderr]).toEqual([{ status: 'failed', streamIncomplete: false, exitCode: 1 }, 'reason\n']);
  expect(error).toEqual({ name: 'SystemExit', message: 'reason', traceback: ['SystemExit: reason'] });
});

test('python: an exit of an earlier task, timer or signal handler ends its own code and no other step', async () => {
  const cwd = mkdtempSync('/tmp/holdfast-test-');
  await using open = await openKernel('python', { cwd });
  const later = `import asyncio, os, signal, subprocess, sys
signal.signal(signal.SIGUSR1, lambda *_: sys.exit(1))
async def leave(seconds):
  await asyncio.sleep(seconds)
  sys.exit(1)`;
  await open.run(later);
  await open.run(`task = asyncio.create_task(leave(0))
_ = asyncio.get_running_loop().call_soon(sys.exit, 1)`);
  // The signal comes while no step runs.
  await open.run('_ = subprocess.Popen(f"sleep 0.2; kill -USR1 {os.getpid()}; touch signalled", shell=True)');
  await until('the signal', () => existsSync(join(cwd, 'signalled')));
  expect(await open.run('task.done()')).toMatchObject({ shown: 'True', end: { status: 'succeeded' } });
  await open.run(`late = asyncio.create_task(leave(0.05))
_ = asyncio.get_running_loop().call_later(0.05, sys.exit, 1)`);
  expect(await open.run('await asyncio.sleep(0.3); late.done()')).toMatchObject({
    shown: 'True',
    end: { status: 'succeeded' },
  });
  const own = await open.run('own = asyncio.create_task(leave(0.05))\nawait asyncio.sleep(5)');
  expect(own.end).toEqual({ status: 'failed', streamIncomplete: false, exitCode: 1 });
  rmSync(cwd, { recursive: true });
});

test('python: an exit with a number that is too large fails as in a process', async () => {
  await using open = await openKernel('python');
  const { end } = await open.run('raise SystemExit(10 ** 30)');
  expect(end).toMatchObject({ status: 'failed', exitCode: 255 });
});

test('node: an exit of an earlier step ends its own code and no other step', async () => {
  await using open = await openKernel('node');
  await open.run('setTimeout(() => { process.exit(1); console.log("never") }, 20); 0');
  const { end, shown } = await open.run('await new Promise((done) => setTimeout(done, 60)); "on"');
  expect([end.status, shown]).toEqual(['succeeded', "'on'"]);
});

test('node: a code that is no integer is refused as in Node', async () => {
  await using open = await openKernel('node');
  const { error } = await open.run('process.exit({})');
  expect(error?.name).toBe('TypeError');
});

test('node: many exits in a row leave a kernel that can be interrupted', async () => {
  await using open = await openKernel('node');
  for (let count = 0; count < 200; count++) {
    const { end } = await open.run(count % 2 ? 'process.exit(1)' : 'await null; process.exit(1)');
    expect(end).toMatchObject({ status: 'failed', exitCode: 1 });
  }
  const { end } = await open.run('console.log("on"); for (;;);', () => open.kernel.interrupt());
  expect(end.status).toBe('interrupted');
});

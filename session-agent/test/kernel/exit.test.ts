import { expect, test } from 'vitest';
import { missing, type TestedLanguage } from '../support/kernel-languages.ts';
import { openKernel } from '../support/open-kernel.ts';

type Case = readonly [code: string, exitCode: number];

const python: readonly Case[] = [
  ['kept = 1; import sys; print("out"); sys.exit(3)', 3],
  ['kept = 1; exit()', 0],
  ['kept = 1; quit(2)', 2],
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

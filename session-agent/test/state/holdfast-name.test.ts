import { mkdtemp, rm } from 'node:fs/promises';
import type { Language } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { type OperationsSocket, openOperationsSocket } from '../../src/kernel-process/operations/operations-socket.ts';
import { openKernel } from '../support/open-kernel.ts';
import { type LaterStep, recoverState, saveState } from '../support/state.ts';

async function operations(): Promise<OperationsSocket & AsyncDisposable> {
  const folder = await mkdtemp('/tmp/operations-');
  const socket = await openOperationsSocket(folder);
  return { ...socket, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** Runs steps in a kernel that may call operations, and recovers another one with the later steps. */
async function recovered(language: Language, codes: string[], steps: LaterStep[] = []) {
  await using socket = await operations();
  const config = { operations: socket };
  await using saved = await openKernel(language, { config });
  for (const code of codes) expect((await saved.run(code)).error).toBeUndefined();
  const symbols = (await saved.kernel.symbols()).map(({ name }) => name);
  const archive = await saveState(saved.kernel);
  const kernel = await openKernel(language, { config });
  const { restored, lost } = await recoverState(kernel.kernel, { archive, steps });
  return { kernel, symbols, restored, lost };
}

test.each<[Language, string, string]>([
  [
    'python',
    'failed = holdfast.OperationError("no", "Busy")',
    '[str(failed), failed.name, isinstance(failed, holdfast.OperationError)]',
  ],
  [
    'node',
    'const { call, session } = holdfast, own = [holdfast]',
    '[call === holdfast.call, session === holdfast.session, own[0] === holdfast]',
  ],
])(
  'in %s, the code does not have the name `holdfast`, and values that use it come back',
  async (language, code, shown) => {
    const { kernel, symbols, lost } = await recovered(language, [code, shown]);
    await using _kernel = kernel;
    expect(symbols).not.toContain('holdfast');
    expect(lost).toEqual([]);
    expect((await kernel.run(shown)).shown).toMatch(/^\[('Busy: no', 'Busy', True|\s*true, true, true\s*)\]$/);
  },
);

test.each<[Language, string, string, string]>([
  ['python', 'import holdfast; call = holdfast.call', 'call is holdfast.call', 'True'],
  ['python', 'holdfast = 41', 'holdfast + 1', '42'],
  ['node', 'var holdfast = 41', 'holdfast + 1', '42'],
  ['node', 'let holdfast = 41', 'holdfast + 1', '42'],
])('in %s, "%s" binds a name of the code, which comes back', async (language, code, use, shown) => {
  const { kernel, symbols, lost } = await recovered(language, [code]);
  await using _kernel = kernel;
  expect(symbols).toContain('holdfast');
  expect(lost).toEqual([]);
  expect((await kernel.run(use)).shown).toBe(shown);
});

test.each<[Language, string, string]>([
  ['python', 'kept = [1]', 'try: holdfast.call("a", 1)\nexcept holdfast.OperationError: pass'],
  ['node', 'const kept = [1]', 'try { await holdfast.call("a", 1) } catch {}'],
])('a later step of %s that calls an operation costs no other name', async (language, code, later) => {
  const { kernel, lost } = await recovered(language, [code], [{ code: later }]);
  await using _kernel = kernel;
  expect(lost).toEqual([]);
});

test('a shell that was recovered has the variables of its own sandbox', async () => {
  const { kernel, restored, lost } = await recovered('bash', ['kept=1']);
  await using _kernel = kernel;
  expect([restored, lost]).toEqual([['kept'], []]);
  const { stdout } = await kernel.run('ls "$HOLDFAST_OPERATIONS" 2>&1; type -t holdfast');
  expect(stdout).toContain('file');
});

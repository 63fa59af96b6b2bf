import type { KernelSymbol } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { noWatch } from '../../test/support/no-watch.ts';
import { scriptedKernels } from '../../test/support/scripted-kernel.ts';
import { until } from '../../test/support/until.ts';
import { ContextKernel } from './context-kernel.ts';
import { StepQueue } from './step-queue.ts';
import { SymbolTable } from './symbol-table.ts';

const symbol: KernelSymbol = { name: 'x', kind: 'variable', type: 'int', preview: '1', size: null, stepId: null };

test('asks a slow kernel once, keeps it alive and notes its late answer', async () => {
  const answer = Promise.withResolvers<KernelSymbol[]>();
  const { startKernel, started } = scriptedKernels({ symbols: () => answer.promise });
  const contextKernel = new ContextKernel(() =>
    startKernel({ language: 'python', cwd: '/', env: {}, onBackground: () => {} }),
  );
  const queue = new StepQueue({
    contextKernel,
    limits: { outputBytesMax: 1024, stopGraceMs: 20 },
    files: { begin: () => null },
    watch: noWatch,
    workspace: '/',
  });
  const table = new SymbolTable({ contextKernel, queue, answerMsMax: 20 });
  const kernel = await contextKernel.ready();
  let hasEnded = false;
  void kernel.exited.then(() => {
    hasEnded = true;
  });
  expect(await table.report()).toEqual({ contextEpoch: 1, stale: true, symbols: [] });
  expect(await table.report()).toEqual({ contextEpoch: 1, stale: true, symbols: [] });
  answer.resolve([symbol]);
  await until('the late answer', async () => (await table.report()).symbols.length === 1);
  expect((await table.report()).stale).toBe(false);
  expect([hasEnded, started.length, contextKernel.contextEpoch]).toEqual([false, 1, 1]);
});

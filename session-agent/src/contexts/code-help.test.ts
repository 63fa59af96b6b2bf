import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { noWatch } from '../../test/support/no-watch.ts';
import { type Script, scriptedKernels, succeeded } from '../../test/support/scripted-kernel.ts';
import type { KernelCursor } from '../kernel-process/kernel.ts';
import { StepCalls } from '../steps/step-calls.ts';
import { StepLog } from '../steps/step-log.ts';
import { CodeHelp } from './code-help.ts';
import { ContextKernel } from './context-kernel.ts';
import { StepQueue } from './step-queue.ts';

function helpOf(script: Script) {
  const { startKernel } = scriptedKernels(script);
  const contextKernel = new ContextKernel(() =>
    startKernel({ language: 'python', cwd: '/', env: {}, onBackground: () => {} }),
  );
  const limits = { outputBytesMax: 1024, stopGraceMs: 20 };
  const queue = new StepQueue({ contextKernel, limits, files: { begin: () => null }, watch: noWatch, workspace: '/' });
  return { queue, help: new CodeHelp({ contextKernel, queue, answerMsMax: 20 }) };
}

function submit(queue: StepQueue): StepLog {
  const log = new StepLog();
  queue.submit({ stepId: newId('stp'), code: '1', timeoutMs: 1000, input: null, calls: new StepCalls(), log });
  return log;
}

test('converts offsets from UTF-16 code units to characters and back', async () => {
  const asked: KernelCursor[] = [];
  const matches = [{ text: 'name', kind: null }];
  const complete = async (place: KernelCursor) => {
    asked.push(place);
    return { matches, start: 2, end: 3 };
  };
  const { help } = helpOf({ complete });
  expect(await help.complete({ code: '😀 n', cursor: 4 })).toEqual({ matches, start: 3, end: 4 });
  expect(asked).toEqual([{ code: '😀 n', cursor: 3 }]);
});

test('limits senseless offsets to the code', async () => {
  const { help } = helpOf({ complete: async () => ({ matches: [], start: 900, end: 1 }) });
  expect(await help.complete({ code: 'abc', cursor: 2 })).toEqual({ matches: [], start: 3, end: 3 });
});

test('answers with nothing if the kernel is silent, and steps run afterwards', async () => {
  const { help, queue } = helpOf({ complete: () => new Promise(() => {}) });
  const asked = help.complete({ code: 'abc', cursor: 2 });
  const log = submit(queue);
  expect(log.state).toBe('queued');
  expect(await asked).toEqual({ matches: [], start: 2, end: 2 });
  await log.untilFinished();
  expect(await help.inspect({ code: 'abc', cursor: 2 })).toEqual({ found: false, data: {} });
});

test('answers with nothing if the kernel dies over a question', async () => {
  const { help } = helpOf({ complete: () => Promise.reject(new Error('dead')) });
  expect(await help.complete({ code: 'abc', cursor: 0 })).toEqual({ matches: [], start: 0, end: 0 });
});

test('rejects a question while a step runs or too many questions wait', async () => {
  const gate = Promise.withResolvers<void>();
  const { help, queue } = helpOf({ step: () => gate.promise.then(() => succeeded) });
  const log = submit(queue);
  const busy = expect.objectContaining({ slug: 'context-busy' });
  await expect(help.complete({ code: '', cursor: 0 })).rejects.toEqual(busy);
  gate.resolve();
  await log.untilFinished();
  const { help: slow } = helpOf({ complete: () => new Promise(() => {}) });
  const questions = Array.from({ length: 17 }, () => slow.complete({ code: '', cursor: 0 }));
  const outcomes = (await Promise.allSettled(questions)).map(({ status }) => status);
  expect(outcomes).toEqual([...Array(16).fill('fulfilled'), 'rejected']);
});

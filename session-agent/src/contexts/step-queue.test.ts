import { framesIn } from '@holdfast/specs/agent';
import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { noWatch } from '../../test/support/no-watch.ts';
import { type Script, scriptedKernels, succeeded } from '../../test/support/scripted-kernel.ts';
import { until } from '../../test/support/until.ts';
import { StepCalls } from '../steps/step-calls.ts';
import { StepLog } from '../steps/step-log.ts';
import { ContextKernel } from './context-kernel.ts';
import type { QueuedStep } from './run-step.ts';
import { StepQueue } from './step-queue.ts';

test('fails each step with the reason, after one attempt, if the kernel cannot be started', async () => {
  const dies: Script['ready'] = ({ die }) => {
    die({ code: 'kernel_exited', exitCode: 3 });
    return Promise.reject(new Error('died'));
  };
  const { queue, kernels } = queueOf({ ready: dies });
  const reports = await runAll(queue, ['1', '2']);
  for (const { types, done, error } of reports) {
    expect(types).toEqual(['queued', 'error', 'done']);
    expect(done).toMatchObject({ status: 'failed', cause: { code: 'kernel_exited', exitCode: 3 }, executionCount: 0 });
    expect(error).toMatchObject({ name: 'KernelStartError' });
  }
  expect(kernels.started).toHaveLength(2);
});

test('fails the step and not the agent if a program is missing', async () => {
  const contextKernel = new ContextKernel(() => {
    throw new Error('spawn python3 ENOENT');
  });
  const [report] = await runAll(new StepQueue({ contextKernel, limits, files, watch: noWatch, workspace: '/' }), ['1']);
  expect(report?.done).toMatchObject({ status: 'failed', cause: { message: 'spawn python3 ENOENT' } });
});

test('kills a step that ignores its interrupt after the grace, and runs the next one in a new epoch', async () => {
  const { queue, kernels } = queueOf({
    ignoresInterrupts: true,
    step: ({ code }) => (code === 'hang' ? new Promise(() => {}) : Promise.resolve(succeeded)),
  });
  const [hung, next] = await runAll(queue, ['hang', 'x'], 20);
  expect(hung?.types).toEqual(['queued', 'started', 'state_reset', 'done']);
  expect(hung?.done).toMatchObject({
    status: 'timed_out',
    stateSurvived: false,
    cause: { code: 'timeout' },
    contextEpoch: 1,
  });
  expect(next?.done).toMatchObject({ status: 'succeeded', contextEpoch: 2, executionCount: 1 });
  expect(next?.types).not.toContain('state_reset');
  expect(kernels.started).toHaveLength(2);
});

test('replaces a kernel that dies between steps, and the next step reports it', async () => {
  const { queue, kernels } = queueOf({});
  await runAll(queue, ['1']);
  kernels.started[0]?.die({ code: 'kernel_killed', signal: 'SIGKILL' });
  await Promise.resolve();
  const [report] = await runAll(queue, ['2']);
  expect(report?.types).toEqual(['queued', 'started', 'state_reset', 'done']);
  expect(report?.done).toMatchObject({ status: 'succeeded', contextEpoch: 2, executionCount: 1 });
});

test('rejects a step for an epoch that an earlier step ended', async () => {
  const { queue } = queueOf({
    step: async ({ code, die }) => {
      if (code === 'die') die({ code: 'kernel_exited', exitCode: 1 });
      return code === 'die' ? new Promise(() => {}) : succeeded;
    },
  });
  const [, waiting] = await runAll(queue, ['die', 'x'], 1000, 1);
  expect(waiting?.types).toEqual(['queued', 'done']);
  expect(waiting?.done).toMatchObject({ status: 'rejected', contextEpoch: 2, executionCount: 0 });
});

test.for(['failed', 'interrupted', 'timed_out'] as const)(
  'rejects the steps behind one that %s and drops its queue, and runs those that come later',
  async (status) => {
    const codes: string[] = [];
    const { queue } = queueOf({
      step: async ({ code, interrupted }) => {
        codes.push(code);
        if (code !== 'bad') return succeeded;
        if (status === 'failed') return { status, streamIncomplete: false };
        await interrupted;
        return { status: 'interrupted', streamIncomplete: false };
      },
    });
    const bad: QueuedStep = { ...queued('bad', status === 'timed_out' ? 20 : 1000), onError: 'drop-queue' };
    const steps = [bad, queued('2'), queued('3')];
    for (const step of steps) queue.submit(step);
    if (status === 'interrupted') {
      await until('the step', () => queue.running);
      queue.interrupt(bad.stepId, { code: 'interrupt' });
    }
    await Promise.all(steps.map(({ log }) => log.untilFinished()));
    const [first, ...behind] = steps.map(reportOf);
    expect(first?.done).toMatchObject({ status });
    for (const { types, done } of behind) {
      expect(types).toEqual(['queued', 'done']);
      const cause = { code: 'earlier_step_failed', message: expect.stringContaining(bad.stepId) };
      expect(done).toMatchObject({ status: 'rejected', cause, stateSurvived: true, executionCount: 0 });
    }
    const [later] = await runAll(queue, ['later']);
    expect(later?.done).toMatchObject({ status: 'succeeded' });
    expect(codes).toEqual(['bad', 'later']);
  },
);

test('rejects only what is behind a waiting step that is interrupted and drops its queue, and nothing if it succeeds', async () => {
  const { promise: free, resolve } = Promise.withResolvers<void>();
  const { queue } = queueOf({ step: () => free.then(() => succeeded) });
  const interrupted: QueuedStep = { ...queued('3'), onError: 'drop-queue' };
  const steps = [{ ...queued('1'), onError: 'drop-queue' as const }, queued('2'), interrupted, queued('4')];
  for (const step of steps) queue.submit(step);
  queue.interrupt(interrupted.stepId, { code: 'interrupt' });
  const later = queued('5');
  queue.submit(later);
  resolve();
  const all = [...steps, later];
  await Promise.all(all.map(({ log }) => log.untilFinished()));
  const statuses = all.map((step) => reportOf(step).done.status);
  expect(statuses).toEqual(['succeeded', 'succeeded', 'interrupted', 'rejected', 'succeeded']);
});

test('never runs a step that is interrupted while its kernel starts', async () => {
  const ready = Promise.withResolvers<void>();
  const codes: string[] = [];
  const { queue } = queueOf({
    ready: () => ready.promise,
    step: async ({ code }) => {
      codes.push(code);
      return succeeded;
    },
  });
  const [first, second] = [queued('first'), queued('second')];
  queue.submit(first);
  queue.submit(second);
  queue.interrupt(first.stepId, { code: 'interrupt' });
  expect(reportOf(first).done).toMatchObject({ status: 'interrupted', stateSurvived: true, executionCount: 0 });
  ready.resolve();
  await second.log.untilFinished();
  expect(codes).toEqual(['second']);
});

test.for([
  ['ends before it is ready', () => Promise.reject(new Error('died'))],
  ['is ready just before it ends', () => Promise.resolve()],
] as const)('runs a waiting step on the next kernel if the first is restarted and %s', async ([, first]) => {
  let starts = 0;
  let endFirst: unknown;
  const { queue, contextKernel } = queueOf({
    ready: ({ die, died }) => {
      starts += 1;
      endFirst ??= die;
      return starts === 1 ? died.then(first) : Promise.resolve();
    },
    step: ({ die }) => (die === endFirst ? new Promise(() => {}) : Promise.resolve(succeeded)),
  });
  const waiting = queued('x');
  queue.submit(waiting);
  await until('the first kernel', () => starts === 1);
  await contextKernel.restart();
  await waiting.log.untilFinished();
  expect(reportOf(waiting).done).toMatchObject({ status: 'succeeded', contextEpoch: 2 });
});

test('ends a step that waits for its kernel as interrupted when all waiting steps are dropped', async () => {
  const { queue, contextKernel } = queueOf({ ready: () => new Promise(() => {}) });
  const waiting = queued('x');
  queue.submit(waiting);
  queue.dropWaiting({ code: 'session_ended' });
  expect(reportOf(waiting).done).toMatchObject({ status: 'interrupted', cause: { code: 'session_ended' } });
  await contextKernel.close();
});

test('ends a step as failed after a fault in the agent, and runs the next one', async () => {
  const { queue } = queueOf({
    step: async ({ code }) => {
      if (code === 'fault') throw new Error('our own fault');
      return succeeded;
    },
  });
  const [broken, next] = await runAll(queue, ['fault', 'x']);
  expect(broken?.done).toMatchObject({ status: 'failed', stateSurvived: false, cause: { code: 'kernel_killed' } });
  expect(next?.done).toMatchObject({ status: 'succeeded', contextEpoch: 2 });
});

test('replaces a kernel that times out twice in a row and cannot even end an empty step', async () => {
  let emptySteps = 0;
  const { queue } = queueOf({
    step: async ({ code, interrupted }) => {
      if (code === '') emptySteps++;
      await interrupted;
      return { status: 'interrupted', streamIncomplete: false };
    },
  });
  const [first, second] = await runAll(queue, ['1', '2'], 20);
  expect(first?.done).toMatchObject({ status: 'timed_out', stateSurvived: true });
  expect(second?.done).toMatchObject({ status: 'timed_out', stateSurvived: false });
  expect(second?.types).toContain('state_reset');
  const [third] = await runAll(queue, ['3'], 20);
  expect(third?.done).toMatchObject({ contextEpoch: 2, executionCount: 1 });
  expect(emptySteps).toBe(1);
});

test('loses the state once if a kernel dies of an empty step after two silent timeouts', async () => {
  const { queue, contextKernel } = queueOf({
    step: async ({ code, interrupted, die }) => {
      if (code === '') die({ code: 'kernel_exited', exitCode: 1 });
      if (code === 'x') return succeeded;
      await interrupted;
      return { status: 'interrupted', streamIncomplete: false };
    },
  });
  const [, second] = await runAll(queue, ['1', '2'], 20);
  expect(second?.done).toMatchObject({ status: 'timed_out', stateSurvived: false });
  const [next] = await runAll(queue, ['x']);
  expect(next?.done).toMatchObject({ status: 'succeeded', contextEpoch: 2 });
  expect(contextKernel.contextEpoch).toBe(2);
});

const files = { begin: () => null };
const limits = { outputBytesMax: 1024, stopGraceMs: 20 };

function queueOf(script: Script) {
  const kernels = scriptedKernels(script);
  const options = { language: 'python' as const, cwd: '/', env: {}, onBackground: () => {} };
  const contextKernel = new ContextKernel(() => kernels.startKernel(options));
  return {
    queue: new StepQueue({ contextKernel, limits, files, watch: noWatch, workspace: '/' }),
    kernels,
    contextKernel,
  };
}

const queued = (code: string, timeoutMs = 1000, ifContextEpoch?: number): QueuedStep => ({
  stepId: newId('stp'),
  code,
  timeoutMs,
  ifContextEpoch,
  input: null,
  calls: new StepCalls(),
  log: new StepLog(),
});

async function runAll(queue: StepQueue, codes: string[], timeoutMs?: number, ifContextEpoch?: number) {
  const steps = codes.map((code) => queued(code, timeoutMs, ifContextEpoch));
  for (const step of steps) queue.submit(step);
  await Promise.all(steps.map(({ log }) => log.untilFinished()));
  return steps.map(reportOf);
}

function reportOf({ log }: QueuedStep) {
  const cursor = log.cursorAfter(0);
  const frames = [...iterate(() => log.read(cursor))].flatMap((bytes) => [...framesIn(bytes)]);
  const json = (type: string) => {
    const payload = frames.find((frame) => frame.type === type)?.payload;
    return payload && JSON.parse(payload.toString());
  };
  return { types: frames.map(({ type }) => type), done: json('done'), error: json('error') };
}

function* iterate<T>(next: () => T | null): Generator<T> {
  for (let value = next(); value !== null; value = next()) yield value;
}

import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  write as writeLater,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { streamMark } from '@holdfast/specs/kernel';
import { newId } from '@holdfast/specs/public';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createNamedFifos } from '../../src/kernel-process/output/fifos.ts';
import { createKernelOutput } from '../../src/kernel-process/output/kernel-output.ts';
import { until } from '../support/until.ts';

let tmp: string;
let writers: number[];
beforeEach(() => {
  tmp = mkdtempSync('/tmp/holdfast-test-');
  writers = [];
});
afterEach(() => {
  for (const writer of writers) closeSync(writer);
  rmSync(tmp, { recursive: true, force: true });
});

const nonce = '0123456789abcdef0123456789abcdef';
const mark = streamMark(nonce, 'end');

/** Opens the FIFOs of a folder as a kernel does. */
function openAsKernel(folder: string) {
  const [out, err] = ['1', '2'].map((name) => openSync(join(folder, name), 'w')) as [number, number];
  writers.push(out, err);
  const write = (text: string) => void writeSync(out, text);
  const writeMuch = (text: string) => promisify(writeLater)(out, Buffer.from(text));
  return { write, writeMuch, writeMarks: () => [out, err].map((fd) => writeSync(fd, mark)) };
}

async function started() {
  const step: string[] = [];
  const background: [string | null, string][] = [];
  let marks = 0;
  const first = await createNamedFifos(tmp);
  const kernel = openAsKernel(first.folder);
  first.release();
  const output = createKernelOutput(
    {
      tmp,
      onStep: (_, bytes) => step.push(bytes.toString()),
      onMark: () => {
        marks += 1;
      },
      onBackground: (_, bytes, stepId) => background.push([stepId, bytes.toString()]),
    },
    first,
  );

  /** Runs a step that writes `text` to the new FIFOs or, if the kernel does not open them, to those that it had. */
  async function run(text: string, { opens = true, had = kernel, late = true } = {}) {
    const stepId = newId('stp');
    const folder = await output.prepareStreams();
    const streams = folder && opens ? openAsKernel(folder) : had;
    output.begin(stepId, nonce);
    const before = marks;
    streams.write(text);
    streams.writeMarks();
    if (!folder || opens) await until('both marks', () => marks === before + 2);
    output.end({ late });
    return { stepId, folder, streams };
  }
  return { output, kernel, run, step, background };
}

test('a step after one that left processes behind has FIFOs of its own, and their names are removed', async () => {
  const { output, run, step, background } = await started();
  const first = await run('one ');
  expect(first.folder).toBe(null);
  const second = await run('two ');
  expect(second.folder).toContain(tmp);
  first.streams.write('late ');
  second.streams.write('after ');
  await until('the late output', () => background.length === 2);
  expect(step).toEqual(['one ', 'two ']);
  expect(background.toSorted()).toEqual(
    [
      [first.stepId, 'late '],
      [second.stepId, 'after '],
    ].toSorted(),
  );
  await until('the names to be gone', () => !existsSync(second.folder as string));
  output.close();
});

test('a step after one that left no processes behind has the same FIFOs', async () => {
  const { output, run } = await started();
  await run('one', { late: false });
  expect(output.prepareStreams()).toBe(null);
  output.close();
});

test('a kernel that goes on with its old FIFOs is read again from the next step on', async () => {
  const { output, run, step, background } = await started();
  await run('one ');
  await run('lost ', { opens: false, late: false });
  await until('what it wrote', () => background.length > 0);
  const third = await run('three ', { late: false });
  expect(third.folder).toBe(null);
  expect(step).toEqual(['one ', 'three ']);
  output.close();
});

test('the kernel gets no folder if no FIFOs can be made', async () => {
  const { output, run, step } = await started();
  rmSync(tmp, { recursive: true });
  await run('one ');
  expect((await run('two ')).folder).toBe(null);
  expect(step).toEqual(['one ', 'two ']);
  output.close();
});

test('the oldest of many pairs are still read, so that no writer dies, and their output is dropped', async () => {
  const { output, run, background } = await started();
  const steps = [await run('0')];
  while (steps.length < 12) steps.push(await run('x', { had: steps.at(-1)?.streams as (typeof steps)[0]['streams'] }));
  // More than a FIFO holds, so that a write ends only if it is read.
  await Promise.all(steps.map(({ streams }) => streams.writeMuch('x'.repeat(200_000))));
  await until('the last', () => background.some(([stepId]) => stepId === steps.at(-1)?.stepId));
  await until('the first that is heard', () => background.some(([stepId]) => stepId === steps[3]?.stepId));
  const heard = new Set(background.map(([stepId]) => stepId));
  expect(steps.map(({ stepId }) => heard.has(stepId))).toEqual([...Array(3).fill(false), ...Array(9).fill(true)]);
  output.close();
});

test('closing removes all names and readers', async () => {
  const { output, run } = await started();
  const { streams } = await run('one');
  output.close();
  await until('the names to be gone', () => readdirSync(tmp).length === 0);
  await until('the reader to be gone', () => {
    try {
      streams.write('x');
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPIPE';
    }
  });
});

import { newId } from '@holdfast/specs/public';
import type { StepSink } from '../../src/kernel-process/kernel.ts';
import { type OpenKernel, openKernel } from '../support/open-kernel.ts';
import type { Run } from './run.ts';
import type { Answer, Output } from './shown-outputs.ts';

/** Runs cells in one of Holdfast's kernels. There are fewer answers than cells if one ended the kernel or took too long. */
export async function runInHoldfast(python: string, run: Run): Promise<Answer[]> {
  const answers: Answer[] = [];
  const { PATH: path = '', HOME: home = '', TMPDIR: tmp = '', ...env } = run.variables;
  await using open = await openKernel('python', { cwd: run.cwd, env, config: { python, path, home, tmp } });
  for (const code of run.cells) {
    const answer = await answerTo(open, code, run);
    if (!answer) break;
    answers.push(answer);
  }
  return answers;
}

async function answerTo({ kernel }: OpenKernel, code: string, run: Run): Promise<Answer | undefined> {
  const outputs: Output[] = [];
  const typed = [...run.typed];
  const stepId = newId('stp');
  const sink: StepSink = {
    output: (stream, bytes) => void outputs.push({ stream, text: bytes.toString() }),
    result: ({ data, isMain }) => void outputs.push({ kind: isMain ? 'shown' : 'displayed', data }),
    resultUpdate: ({ data }) => void outputs.push({ kind: 'updated', data }),
    error: ({ name, message }) => void outputs.push({ kind: 'error', name, message }),
    // Messages between widgets and a front end do not count as output.
    comm: () => {},
    inputRequest({ prompt }) {
      outputs.push({ kind: 'asked', prompt });
      kernel.input(stepId, (typed.length > 1 ? typed.shift() : typed[0]) ?? null);
    },
  };
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), run.secondsMax * 1000);
  const end = await Promise.race([kernel.execute({ stepId, code, stdin: true }, sink), late.promise]);
  clearTimeout(timer);
  if (!end || end.status === 'died') return undefined;
  return { succeeded: end.status === 'succeeded', outputs };
}

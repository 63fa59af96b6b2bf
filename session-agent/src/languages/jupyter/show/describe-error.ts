import type { StepError } from '@holdfast/specs/public';
import { plainText } from './plain-text.ts';

const nameCharactersMax = 256;
const textCharactersMax = 65_536;
const linesMax = 1000;
/** The error by which kernels of the IPython family refuse to ask for input if they are told not to. */
const inputRefusal = 'StdinNotImplementedError';

type Failure = { ename: string; evalue: string; traceback: string[] };

/** A kernel's error as the agent takes it: without the colours of a terminal, and small enough for a message. Pure. */
export function describeError({ ename, evalue, traceback }: Failure): StepError {
  const hint = ename === inputRefusal ? ' Set `stdin: true`.' : '';
  return {
    name: plain(ename, nameCharactersMax),
    message: `${plain(evalue, textCharactersMax)}${hint}`,
    traceback: traceback.slice(0, linesMax).map((entry) => plain(entry, textCharactersMax / 8)),
  };
}

const plain = (text: string, max: number) => plainText(text).slice(0, max);

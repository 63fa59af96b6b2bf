import { readFileSync, writeFileSync } from 'node:fs';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PastStep } from '@holdfast/specs/agent';
import { storable } from '@holdfast/specs/public';
import { failed, notInStep, type ProgramCall } from '../kernel-process/operations/operations-socket.ts';
import { makeFolder, unlessFull } from './no-space.ts';
import { PastCalls } from './past-calls.ts';
import { canRunAgain } from './replay-steps.ts';

type Content = { archive: string | null; steps: readonly PastStep[] };

export type RecoveryFolder = {
  folder: string;
  /**
   * Call after the death of a kernel that read the folder. If it was the second one that died while it loaded the same part of the archive,
   * the next one leaves this part out.
   * @returns whether to try another kernel
   */
  noteDeath(): Promise<boolean>;
  /** Answers a call of a step that runs again, or notes in the folder why there is no answer. */
  onCall(call: ProgramCall): void;
  /** The error of a recovery, with the words of the kernel if it has left any in the folder before it ended. */
  explain(error: unknown): Promise<unknown>;
  remove(): Promise<void>;
};

/** A user's values can end more kernels than it makes sense to start. */
const deathsMax = 10;

/** A folder with what a kernel reads when it recovers; see *State* in languages/README.md. @throws Problem `workspace-full` */
export async function makeRecoveryFolder(tmp: string, { archive, steps }: Content): Promise<RecoveryFolder> {
  const folder = await makeFolder(tmp);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    if (archive !== null) await link(archive, join(folder, 'archive'));
    const lines = steps.map((step) => `${step.stepId} ${step.status} ${canRunAgain(step) ? 1 : 0}\n`);
    await writeFile(join(folder, 'steps'), lines.join(''));
    for (const [at, { code }] of steps.entries()) await writeFile(join(folder, `code-${at + 1}`), code);
    const explain = async (error: unknown) => {
      const words = await readFile(join(folder, 'failure'), 'utf8').catch(() => '');
      return words === '' ? error : new Error(storable(words, 500), { cause: error });
    };
    const { onCall, beginAgain } = createReplay(folder, steps);
    const noteDeath = createNoteDeath(folder, beginAgain);
    return { folder, remove, noteDeath, onCall, explain };
  } catch (error) {
    await remove();
    throw unlessFull(error);
  }
}

/** The kernel has the id of the step that it runs again in a file, so that a call cannot overtake it. */
function createReplay(folder: string, steps: readonly PastStep[]) {
  const [running, refused] = [join(folder, 'running'), join(folder, 'refused')];
  const pastCalls = () => new PastCalls(steps.filter(canRunAgain));
  let past = pastCalls();
  return {
    onCall(call: ProgramCall): void {
      const stepId = textIn(running);
      const answer = stepId === '' ? failed(notInStep) : past.answer(stepId, call);
      if ('refusal' in answer && textIn(refused) === '') writeFileSync(refused, answer.refusal);
      call.answer('refusal' in answer ? failed(answer.refusal) : answer);
    },
    async beginAgain(): Promise<void> {
      past = pastCalls();
      for (const path of [running, refused]) await rm(path, { force: true });
    },
  };
}

function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function createNoteDeath(folder: string, beginAgain: () => Promise<void>): () => Promise<boolean> {
  const places: string[] = [];
  return async () => {
    await beginAgain();
    const place = await readFile(join(folder, 'loading'), 'utf8').catch(() => '');
    if (!/^\d{1,9}$/.test(place) || places.length >= deathsMax) return false;
    places.push(place);
    const twice = places.filter((one, at) => places.indexOf(one) < at);
    await writeFile(join(folder, 'left-out'), twice.map((one) => `${one}\n`).join(''));
    return true;
  };
}

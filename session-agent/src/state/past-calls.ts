import type { OperationAnswer, PastCall, PastStep } from '@holdfast/specs/agent';
import { argumentsDigest } from '../kernel-process/operations/arguments-digest.ts';

type Call = { name: string /** A JSON array. */; arguments: string };

/** The calls of steps that run again, which get the answers that they got when the steps ran: no one is asked again. */
export class PastCalls {
  #left = new Map<string, PastCall[]>();
  #made = new Map<string, number>();

  constructor(steps: readonly PastStep[]) {
    for (const { stepId, calls = [] } of steps) this.#left.set(stepId, [...calls]);
  }

  /**
   * The answer to the next call of a step, or why there is none. Threads may call in another order than before, so a call gets the first answer
   * to one of its name and arguments.
   */
  answer(stepId: string, { name, arguments: text }: Call): OperationAnswer | { refusal: string } {
    const number = (this.#made.get(stepId) ?? 0) + 1;
    this.#made.set(stepId, number);
    const left = this.#left.get(stepId) ?? [];
    const digest = argumentsDigest(text);
    const at = left.findIndex((call) => call.name === name && call.digest === digest);
    const [found] = at < 0 ? [] : left.splice(at, 1);
    if (found?.answer) return found.answer;
    if (found) return { refusal: `the answer to its call ${number}, ${name}, was not kept` };
    const isOther = left.some((call) => call.name === name);
    const how = isOther ? ' with these arguments' : '';
    return {
      refusal: `the answer to its call ${number}, ${name}, is not known: it did not call that${how} before, or it was not kept`,
    };
  }
}

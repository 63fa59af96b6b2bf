import { type CodeAtCursor, type Completions, type Inspection, Problem } from '@holdfast/specs/public';
import type { Kernel, KernelCursor } from '../kernel-process/kernel.ts';
import { settledWithin } from '../kernel-process/settled-within.ts';
import { charactersBefore, unitsBefore } from './character-offsets.ts';
import type { ContextKernel } from './context-kernel.ts';
import type { StepQueue } from './step-queue.ts';

const answerMsMaxDefault = 2000;
const questionsMax = 16;

/** What a context's kernel knows of code that is being written. A kernel that says nothing in time knows nothing. */
export class CodeHelp {
  #contextKernel: ContextKernel;
  #queue: StepQueue;
  #answerMsMax: number;
  #questions = 0;

  constructor(deps: { contextKernel: ContextKernel; turns: StepQueue; answerMsMax?: number }) {
    this.#contextKernel = deps.contextKernel;
    this.#queue = deps.turns;
    this.#answerMsMax = deps.answerMsMax ?? answerMsMaxDefault;
  }

  /** Places count UTF-16 code units. @throws Problem `session-busy` while a step runs or too many questions wait. */
  async complete({ code, cursor }: CodeAtCursor): Promise<Completions> {
    const place = placeOf(code, cursor);
    const found = await this.#ask((kernel) => kernel.complete(place));
    if (!found) return { matches: [], start: cursor, end: cursor };
    const start = unitsBefore(code, found.start);
    return { matches: found.matches, start, end: Math.max(start, unitsBefore(code, found.end)) };
  }

  /** As `complete`. */
  async inspect({ code, cursor }: CodeAtCursor): Promise<Inspection> {
    const place = placeOf(code, cursor);
    return (await this.#ask((kernel) => kernel.inspect(place))) ?? { found: false, data: {} };
  }

  async #ask<Answer>(question: (kernel: Kernel) => Promise<Answer>): Promise<Answer | null> {
    if (this.#queue.busy || this.#questions >= questionsMax) {
      throw new Problem('session-busy', { detail: 'the context runs a step or answers too many questions' });
    }
    let answer: Answer | null = null;
    const asked = this.#contextKernel.ready().then(question);
    const noted = asked.then((given) => {
      answer = given;
    });
    this.#questions += 1;
    try {
      await this.#queue.pauseFor(settledWithin(noted, this.#answerMsMax));
    } finally {
      this.#questions -= 1;
    }
    return answer;
  }
}

const placeOf = (code: string, cursor: number): KernelCursor => ({ code, cursor: charactersBefore(code, cursor) });

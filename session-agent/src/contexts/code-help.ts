import { type CodeAtCursor, type Completions, type Inspection, type ParsedCode, Problem } from '@holdfast/specs/public';
import type { Kernel, KernelCursor } from '../kernel-process/kernel.ts';
import { settledWithin } from '../kernel-process/settled-within.ts';
import { charactersBefore, unitsBefore } from './character-offsets.ts';
import type { ContextKernel } from './context-kernel.ts';
import type { StepQueue } from './step-queue.ts';

const answerMsMaxDefault = 2000;
const questionsMax = 16;

/** Completes, inspects and parses code with the help of a context's kernel. If the kernel does not answer in time, the answer is empty. */
export class CodeHelp {
  #contextKernel: ContextKernel;
  #queue: StepQueue;
  #answerMsMax: number;
  #questions = 0;

  constructor(deps: { contextKernel: ContextKernel; queue: StepQueue; answerMsMax?: number }) {
    this.#contextKernel = deps.contextKernel;
    this.#queue = deps.queue;
    this.#answerMsMax = deps.answerMsMax ?? answerMsMaxDefault;
  }

  /** Offsets count UTF-16 code units. @throws Problem `context-busy` while a step runs or too many questions wait */
  async complete({ code, cursor }: CodeAtCursor): Promise<Completions> {
    const found = await this.#ask((kernel) => kernel.complete(kernelCursor(code, cursor)));
    if (!found) return { matches: [], start: cursor, end: cursor };
    const start = unitsBefore(code, found.start);
    return { matches: found.matches, start, end: Math.max(start, unitsBefore(code, found.end)) };
  }

  /** Same rules as for `complete`. */
  async inspect({ code, cursor }: CodeAtCursor): Promise<Inspection> {
    return (await this.#ask((kernel) => kernel.inspect(kernelCursor(code, cursor)))) ?? { found: false, data: {} };
  }

  /** Whether code can run as it is. Same rules. */
  async parse(code: string): Promise<ParsedCode> {
    return (await this.#ask((kernel) => kernel.parse(code))) ?? { status: 'unknown', indent: '' };
  }

  async #ask<Answer>(question: (kernel: Kernel) => Promise<Answer>): Promise<Answer | null> {
    if (this.#queue.busy || this.#questions >= questionsMax) {
      throw new Problem('context-busy', { detail: 'the context runs a step or answers too many questions' });
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

const kernelCursor = (code: string, cursor: number): KernelCursor => ({ code, cursor: charactersBefore(code, cursor) });

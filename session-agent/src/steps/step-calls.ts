import {
  callBytesMax,
  callsMax,
  callsWaitingMax,
  type OperationAnswer,
  type OperationCall,
  type PastCall,
} from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';
import { argumentsDigest } from '../kernel-process/operations/arguments-digest.ts';
import { failed, type ProgramCall } from '../kernel-process/operations/operations-socket.ts';

const pastBytesMax = 1024 * 1024;

/** The calls of one step, numbered from 1. Each waits until the data-plane answers it, its program is gone or the step ends. */
export class StepCalls {
  #last = 0;
  #bytes = 0;
  /** Those that wait or whose answer is being written. */
  #open = 0;
  #waiting = new Map<number, ProgramCall>();
  #past: PastCall[] = [];
  #pastBytes = 0;
  #ask: ((call: OperationCall) => void) | null = null;

  /** Call when the step starts: from now on its code may call operations. */
  connect(ask: (call: OperationCall) => void): void {
    this.#ask = ask;
  }

  take(program: ProgramCall): void {
    const refusal = this.#refusal(program);
    if (!this.#ask || refusal) {
      program.answer(failed(refusal ?? 'the step has ended'));
      return;
    }
    const call = ++this.#last;
    this.#bytes += Buffer.byteLength(program.arguments);
    this.#open += 1;
    this.#waiting.set(call, program);
    program.onClose(() => {
      this.#open -= 1;
      this.#waiting.delete(call);
    });
    this.#ask({ call, name: program.name, arguments: program.arguments });
  }

  /** Answers a call once; later answers, and those to a program that is gone, have no effect. @throws Problem `not-found` */
  answer(call: number, answer: OperationAnswer): void {
    if (call > this.#last) throw new Problem('not-found', { detail: `the step has no call ${call}` });
    const program = this.#waiting.get(call);
    this.#waiting.delete(call);
    if (!program) return;
    this.#keep(call, program, answer);
    program.answer(answer);
  }

  /** The calls that have their answers, if a kernel that follows a lost one runs the step again. Beyond a number of bytes they have none. */
  get past(): PastCall[] {
    return this.#past;
  }

  #keep(call: number, { name, arguments: text }: ProgramCall, answer: OperationAnswer): void {
    this.#pastBytes += Buffer.byteLength(JSON.stringify(answer));
    const kept = this.#pastBytes <= pastBytesMax ? answer : null;
    this.#past.push({ call, name, digest: argumentsDigest(text), answer: kept });
  }

  /** The step has ended. */
  end(): void {
    this.#ask = null;
    for (const program of this.#waiting.values()) program.answer(failed('the step has ended'));
    this.#waiting.clear();
  }

  #refusal({ arguments: text }: ProgramCall): string | null {
    if (this.#open >= callsWaitingMax) return `${callsWaitingMax} calls of the step are waiting already`;
    if (this.#last >= callsMax) return `a step calls at most ${callsMax} operations`;
    if (this.#bytes + Buffer.byteLength(text) > callBytesMax)
      return `the calls of the step exceed ${callBytesMax} bytes`;
    return null;
  }
}

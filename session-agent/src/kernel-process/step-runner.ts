import { randomBytes } from 'node:crypto';
import { endMark, type KernelMessage, type KernelRequest } from '@holdfast/specs/kernel';
import type { Cause } from '@holdfast/specs/public';
import type { KernelOptions, KernelStep, KernelStepEnd, StepSink, Stream } from './kernel.ts';
import type { kernelOutput } from './kernel-output.ts';
import { lastIds } from './last-ids.ts';
import { messageContent } from './message-content.ts';

const marksMsMax = 500;
/** Of so many steps back, a kernel may say that it was their thread or task that wrote. */
const knownStepsMax = 256;

type StepMessage = Extract<KernelMessage, { stepId: string }>;
type Done = Extract<KernelMessage, { type: 'done' }>;

type Running = {
  stepId: string;
  number: number;
  sink: StepSink;
  resolve: (end: KernelStepEnd) => void;
  isSent: boolean;
  /** An interrupt that came before the kernel was told of the step. */
  isInterrupted: boolean;
  marksMissing: number;
  done?: Done;
  timer?: NodeJS.Timeout;
};

type Dependencies = {
  send: (request: KernelRequest) => void;
  /** Interrupts the step of this number, of which the kernel has been told. */
  interrupt: (number: number) => void;
  output: Pick<ReturnType<typeof kernelOutput>, 'change' | 'begin' | 'end'>;
  onBackground: KernelOptions['onBackground'];
};

/** Follows a kernel's steps, one at a time: a step ends with `done` and both end marks, whichever comes last. */
export function stepRunner({ send, interrupt, output, onBackground }: Dependencies) {
  let running: Running | null = null;
  let death: Cause | null = null;
  let lastNumber = 0;
  const known = lastIds(knownStepsMax);

  const finish = (step: Running, end: KernelStepEnd) => {
    if (running !== step) return;
    clearTimeout(step.timer);
    output.end({ late: step.done?.late === true });
    running = null;
    step.resolve(end);
  };

  const finishDone = (step: Running) => {
    if (step.done) finish(step, { status: step.done.status, streamIncomplete: step.marksMissing > 0 });
  };

  const begin = (step: Running, asked: KernelStep, streams: string | null) => {
    if (running !== step) return;
    const { stepId, code, env, stdin } = asked;
    const nonce = randomBytes(16).toString('hex');
    known.add(stepId);
    output.begin(stepId, Buffer.from(endMark(nonce)));
    send({
      type: 'execute',
      stepId,
      number: step.number,
      code,
      nonce,
      ...(env && { env }),
      ...(stdin && { stdin }),
      ...(streams !== null && { streams }),
    });
    step.isSent = true;
    if (step.isInterrupted) interrupt(step.number);
  };

  return {
    execute(asked: KernelStep, sink: StepSink): Promise<KernelStepEnd> {
      if (death) return Promise.resolve({ status: 'died', streamIncomplete: false, cause: death });
      if (running) throw new Error(`step ${running.stepId} still runs in this kernel`);
      const number = ++lastNumber;
      return new Promise((resolve) => {
        const { stepId } = asked;
        const step = { stepId, number, sink, resolve, isSent: false, isInterrupted: false, marksMissing: 2 };
        running = step;
        const change = output.change();
        if (change) void change.then((streams) => begin(step, asked, streams));
        else begin(step, asked, null);
      });
    },

    output(name: Stream, bytes: Buffer): void {
      running?.sink.output(name, bytes);
    },

    marked(): void {
      if (!running) return;
      running.marksMissing--;
      if (running.marksMissing === 0) finishDone(running);
    },

    /** Messages of a step that does not run are dropped: threads of an earlier one may still send some. */
    receive(message: StepMessage): void {
      if (message.type === 'background') {
        const { stream, text, stepId } = message;
        if (text) onBackground(stream, text, known.has(stepId) ? stepId : null);
        return;
      }
      const step = running;
      if (!step || message.stepId !== step.stepId || step.done) return;
      if (message.type === 'result') step.sink.result(messageContent(message));
      else if (message.type === 'error') step.sink.error(messageContent(message));
      else if (message.type === 'input_request') step.sink.inputRequest(messageContent(message));
      else {
        step.done = message;
        if (step.marksMissing === 0) finishDone(step);
        // A mark that lies in the FIFO unread is there after the next round of reading at the latest.
        else step.timer = setTimeout(() => setImmediate(finishDone, step), marksMsMax);
      }
    },

    input(stepId: string, text: string | null): void {
      if (running?.stepId === stepId && running.isSent) send({ type: 'input', stepId, text });
    },

    interrupt(): void {
      if (running?.isSent) interrupt(running.number);
      else if (running) running.isInterrupted = true;
    },

    die({ cause, streamIncomplete }: { cause: Cause; streamIncomplete: boolean }): void {
      death = cause;
      if (running) finish(running, { status: 'died', streamIncomplete, cause });
    },

    isRunning: (number: number) => running?.number === number,
  };
}

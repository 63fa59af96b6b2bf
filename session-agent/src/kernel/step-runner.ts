import { randomBytes } from 'node:crypto';
import { type Cause, endMark, type KernelMessage, type KernelRequest } from '@holdfast/specs';
import type { KernelOptions, KernelStepEnd, StepSink, Stream } from './kernel.ts';
import { stepStream } from './step-stream.ts';

const marksMsMax = 500;

type StepMessage = Extract<KernelMessage, { stepId: string }>;
type DoneStatus = Extract<KernelMessage, { type: 'done' }>['status'];

type Running = {
  stepId: string;
  number: number;
  sink: StepSink;
  resolve: (end: KernelStepEnd) => void;
  marksMissing: number;
  status?: DoneStatus;
  timer?: NodeJS.Timeout;
};

type Dependencies = { send: (request: KernelRequest) => void; onBackground: KernelOptions['onBackground'] };

/** Follows a kernel's steps, one at a time: a step ends with `done` and both end marks, whichever comes last. */
export function stepRunner({ send, onBackground }: Dependencies) {
  let running: Running | null = null;
  let death: Cause | null = null;
  let lastNumber = 0;
  const stream = (name: Stream) =>
    stepStream(
      (bytes) => running?.sink.output(name, bytes),
      (bytes) => onBackground(name, bytes),
    );
  const streams = { stdout: stream('stdout'), stderr: stream('stderr') };

  const finish = (step: Running, end: KernelStepEnd) => {
    if (running !== step) return;
    clearTimeout(step.timer);
    streams.stdout.end();
    streams.stderr.end();
    running = null;
    step.resolve(end);
  };

  const finishDone = (step: Running) => {
    if (step.status) finish(step, { status: step.status, streamIncomplete: step.marksMissing > 0 });
  };

  return {
    execute(step: { stepId: string; code: string }, sink: StepSink): Promise<KernelStepEnd> {
      if (death) return Promise.resolve({ status: 'died', streamIncomplete: false, cause: death });
      if (running) throw new Error(`step ${running.stepId} still runs in this kernel`);
      const nonce = randomBytes(16).toString('hex');
      const mark = Buffer.from(endMark(nonce));
      streams.stdout.begin(mark);
      streams.stderr.begin(mark);
      const number = ++lastNumber;
      return new Promise((resolve) => {
        running = { stepId: step.stepId, number, sink, resolve, marksMissing: 2 };
        send({ type: 'execute', stepId: step.stepId, number, code: step.code, nonce });
      });
    },

    push(name: Stream, chunk: Buffer): void {
      if (!streams[name].push(chunk) || !running) return;
      running.marksMissing--;
      if (running.marksMissing === 0) finishDone(running);
    },

    /** Messages of a step that does not run are dropped: threads of an earlier one may still send some. */
    receive(message: StepMessage): void {
      const step = running;
      if (!step || message.stepId !== step.stepId) return;
      if (message.type === 'result') step.sink.result(without(message));
      else if (message.type === 'error') step.sink.error(without(message));
      else if (!step.status) {
        step.status = message.status;
        if (step.marksMissing === 0) finishDone(step);
        // A mark that lies in the FIFO unread is there after the next round of reading at the latest.
        else step.timer = setTimeout(() => setImmediate(finishDone, step), marksMsMax);
      }
    },

    die({ cause, streamIncomplete }: { cause: Cause; streamIncomplete: boolean }): void {
      death = cause;
      if (running) finish(running, { status: 'died', streamIncomplete, cause });
    },

    runningNumber: () => running?.number ?? null,
  };
}

function without<Message extends { type: string; stepId: string }>(message: Message): Omit<Message, 'type' | 'stepId'> {
  const { type: _type, stepId: _stepId, ...content } = message;
  return content;
}

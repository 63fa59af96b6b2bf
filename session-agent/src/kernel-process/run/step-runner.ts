import type { KernelMessage, KernelRequest, StreamMark } from '@holdfast/specs/kernel';
import type { Cause, ResourceUsage } from '@holdfast/specs/public';
import type { KernelOptions, KernelStep, KernelStepEnd, StepSink, Stream } from '../kernel.ts';
import { payloadOf, type ReceivedMessage } from '../messages/parse-message.ts';
import { failed, notInStep, type ProgramCall } from '../operations/operations-socket.ts';
import type { createKernelOutput } from '../output/kernel-output.ts';
import { createStepOrder } from '../output/step-order.ts';
import { newNonce } from './new-nonce.ts';
import { createRecentIds } from './recent-ids.ts';

const marksMsMax = 500;
/** That of no other step, so that no interrupt or message of one counts for the other. */
const probeNumber = 0;
/** Silent steps are numbered from here, so that the numbers of the others, which histories show, have no gaps. */
const silentNumbersFrom = 1_000_000_000;
/** Background output may name one of this many steps as its origin. */
const rememberedStepsMax = 256;

type StepMessage = Extract<ReceivedMessage, { stepId: string }>;
type Done = Extract<KernelMessage, { type: 'done' }>;
type ExecuteRequest = Extract<KernelRequest, { type: 'execute' }>;

type Running = {
  stepId: string;
  number: number;
  sink: StepSink;
  resolve: (end: KernelStepEnd) => void;
  isSent: boolean;
  /** Whether it was interrupted before it was sent to the kernel. */
  isInterrupted: boolean;
  hasEndMarks: boolean;
  done?: Done;
  timer?: NodeJS.Timeout;
};

type Dependencies = {
  send: (request: KernelRequest) => void;
  /** Interrupts the step with this number, which was sent to the kernel. */
  interrupt: (number: number) => void;
  output: Pick<ReturnType<typeof createKernelOutput>, 'prepareStreams' | 'begin' | 'endStream' | 'end'>;
  /** Stops or starts the reading of the kernel's messages. */
  pauseMessages: (isPaused: boolean) => void;
} & Pick<KernelOptions, 'onBackground' | 'onBackgroundComm'>;

/**
 * Runs steps on a kernel, one at a time. A step ends when the kernel's `done` and the end marks of both streams have come, in any order;
 * `done` may stand for marks as well.
 * If a mark does not come in time, the step ends without it, as `streamIncomplete`.
 */
export function createStepRunner({
  send,
  interrupt,
  output,
  pauseMessages,
  onBackground,
  onBackgroundComm,
}: Dependencies) {
  let running: Running | null = null;
  let death: Cause | null = null;
  let recovering: ((call: ProgramCall) => void) | null = null;
  let lastNumber = 0;
  let lastSilentNumber = silentNumbersFrom;
  const recentIds = createRecentIds(rememberedStepsMax);

  const order = createStepOrder({
    onOutput: (name, bytes) => running?.sink.output(name, bytes),
    onEnd: () => running && ended(running),
    pauseMessages,
  });

  const originOf = (stepId: string) => (recentIds.has(stepId) ? stepId : null);

  const finish = (step: Running, end: KernelStepEnd) => {
    if (running !== step) return;
    clearTimeout(step.timer);
    output.end({ late: step.done?.late === true });
    order.finish();
    running = null;
    step.resolve(end);
  };

  const finishDone = (step: Running) => {
    if (!step.done) return;
    const { status, exitCode } = step.done;
    const end: KernelStepEnd = { status, streamIncomplete: !step.hasEndMarks, usage: usageOf(step.done) };
    if (exitCode !== undefined) end.exitCode = exitCode;
    finish(step, end);
  };

  const ended = (step: Running) => {
    step.hasEndMarks = true;
    finishDone(step);
  };

  const begin = (step: Running, asked: KernelStep, streams: string | null) => {
    if (running !== step) return;
    const { stepId, code, comm, env, stdin, isSilent, expressions } = asked;
    const nonce = newNonce();
    recentIds.add(stepId);
    output.begin(stepId, nonce);
    const request: ExecuteRequest = { type: 'execute', stepId, number: step.number, code, nonce };
    if (comm) request.comm = comm;
    if (env) request.env = env;
    if (stdin) request.stdin = stdin;
    if (isSilent) request.silent = true;
    if (expressions) request.expressions = expressions;
    if (streams !== null) request.streams = streams;
    send(request);
    step.isSent = true;
    if (step.isInterrupted) interrupt(step.number);
  };

  return {
    execute(asked: KernelStep, sink: StepSink): Promise<KernelStepEnd> {
      if (death) return Promise.resolve({ status: 'died', streamIncomplete: false, cause: death });
      if (running) throw new Error(`step ${running.stepId} still runs in this kernel`);
      const number = asked.isProbe ? probeNumber : asked.isSilent ? ++lastSilentNumber : ++lastNumber;
      return new Promise((resolve) => {
        const { stepId } = asked;
        const step: Running = {
          stepId,
          number,
          sink,
          resolve,
          isSent: false,
          isInterrupted: false,
          hasEndMarks: false,
        };
        running = step;
        order.begin();
        const prepared = output.prepareStreams();
        if (prepared) void prepared.then((streams) => begin(step, asked, streams));
        else begin(step, asked, null);
      });
    },

    output(name: Stream, bytes: Buffer): void {
      if (running) order.output(name, bytes);
    },

    mark(name: Stream, mark: StreamMark): void {
      if (running) order.mark(name, mark);
    },

    /** Drops results and errors of a step that does not run: threads of an earlier step may still send some. */
    receive(message: StepMessage): void {
      if (message.type === 'background') {
        const { stream, text, stepId } = message;
        if (text) onBackground(stream, text, originOf(stepId));
        return;
      }
      const step = running;
      if (!step || message.stepId !== step.stepId || step.done) {
        if (message.type === 'comm') onBackgroundComm?.(payloadOf(message), originOf(message.stepId));
        return;
      }
      if (message.type === 'result') order.message(() => step.sink.result(payloadOf(message)));
      else if (message.type === 'result_update') order.message(() => step.sink.resultUpdate?.(payloadOf(message)));
      else if (message.type === 'expression') {
        const { name, value } = message;
        order.message(() => step.sink.expression?.(name, value));
      } else if (message.type === 'error') order.message(() => step.sink.error(payloadOf(message)));
      else if (message.type === 'comm') order.message(() => step.sink.comm(payloadOf(message)));
      else if (message.type === 'output_cleared') order.message(() => step.sink.outputCleared?.(payloadOf(message)));
      else if (message.type === 'input_request') order.message(() => step.sink.inputRequest(payloadOf(message)));
      else if (message.type === 'dropped') order.message(() => {});
      else {
        step.done = message;
        for (const stream of message.unmarked ?? []) output.endStream(stream);
        if (step.hasEndMarks) finishDone(step);
        // A mark that is in the FIFO already is read in the next round of the event loop at the latest.
        else step.timer = setTimeout(() => setImmediate(finishDone, step), marksMsMax);
      }
    },

    /** Takes the calls of code that a recovery runs. Null ends that. */
    recoverCalls(onCall: ((call: ProgramCall) => void) | null): void {
      recovering = onCall;
    },

    /** A call of a program that the kernel started counts as one of the running step. */
    call(call: ProgramCall): void {
      const step = running;
      if (recovering) recovering(call);
      else if (step?.isSent && !step.done && step.sink.operationCall) step.sink.operationCall(call);
      else call.answer(failed(notInStep));
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

/** Whole microseconds and bytes, if the kernel has measured. */
const usageOf = ({ cpuMs, memoryKb }: Done): ResourceUsage | undefined =>
  cpuMs === undefined || memoryKb === undefined
    ? undefined
    : { cpuSeconds: Math.round(cpuMs * 1000) / 1e6, memoryBytesMax: memoryKb * 1024 };

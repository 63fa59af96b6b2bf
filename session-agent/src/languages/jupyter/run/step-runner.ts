import type { KernelRequest } from '@holdfast/specs/kernel';
import type { Send } from '../agent/channel.ts';
import type { Streams } from '../agent/streams.ts';
import type { Connection } from '../kernel/connect.ts';
import { executeReplySchema, inputRequestSchema, statusSchema } from '../kernel/contents.ts';
import type { Replies } from '../kernel/replies.ts';
import type { JupyterMessage } from '../kernel/wire.ts';
import { type Ended, endOfStep } from './end-of-step.ts';
import { createRecentSteps } from './recent-steps.ts';
import { showOutput } from './show-output.ts';

/** The status `idle` may come long after the reply, behind much output. This much later, and after the last output, it is missing. */
const idleMsMax = 4000;
/** A kernel sends its reply before that status, so it comes at once or was lost to an interrupt. */
const replyMsMax = 300;
/** A kernel announces a step and then prepares it. The user's code certainly runs this much later, or when it has shown something. */
const beginMs = 250;
const promptCharactersMax = 65_536;
/** A kernel may lose a signal that comes right before it waits for the input. This much later it waits. */
const refuseAgainMs = 250;
/** Jupyter's kernels take this character for the end of input. */
const endOfInput = '\x04';

type Execute = Extract<KernelRequest, { type: 'execute' }>;
type Running = Omit<Ended, 'stepId' | 'expressions'> & {
  asked: Execute;
  id: string;
  /** Whether its code has begun. A kernel drops a signal that comes earlier, or dies of it. */
  isBegun: boolean;
  isIdle: boolean;
  beginTimer?: NodeJS.Timeout;
  refusalTimer?: NodeJS.Timeout;
  timer?: NodeJS.Timeout;
};

type Dependencies = {
  connection: Pick<Connection, 'iopub' | 'stdin'>;
  replies: Replies;
  streams: Streams;
  /** Passes on what the kernel's child processes have written. */
  drain: () => void;
  send: Send;
  /** Interrupts what the kernel runs. */
  interrupt: () => void;
};

/** Runs one step at a time. It ends when the kernel has replied and says that it is idle, because output may follow the reply. */
export function createStepRunner({ connection, replies, streams, drain, send, interrupt }: Dependencies) {
  const { iopub, stdin } = connection;
  const recent = createRecentSteps();
  let running: Running | null = null;

  const finishIfComplete = (step: Running) => {
    clearTimeout(step.timer);
    if (step !== running) return;
    if (step.isIdle && step.reply) finish(step);
    else if (step.isIdle) step.timer = setTimeout(finish, replyMsMax, step);
    else if (step.reply) step.timer = setTimeout(finish, idleMsMax, step);
  };

  const finish = (step: Running) => {
    running = null;
    clearTimeout(step.beginTimer);
    clearTimeout(step.refusalTimer);
    drain();
    streams.endStep();
    const { stepId, expressions = {} } = step.asked;
    for (const message of endOfStep({ ...step, stepId, expressions: Object.keys(expressions) })) send(message);
  };

  iopub.on((message) => {
    const { type, parentId, content } = message;
    drain();
    const step = running;
    if (!step || (parentId !== null && parentId !== step.id)) {
      const stepId = recent.stepOf(parentId);
      if (stepId !== null) showOutput({ stepId, message, isLate: true }, { send, streams });
      return;
    }
    if (type === 'status') step.isIdle = statusSchema.safeParse(content).data?.execution_state === 'idle';
    if (type === 'status' || type === 'execute_input') beginSoon(step);
    else begin(step);
    const isShown = !(type === 'error' && step.isRefused);
    if (isShown) showOutput({ stepId: step.asked.stepId, message, isLate: false }, { send, streams });
    if (isShown && type === 'error') step.hasError = true;
    finishIfComplete(step);
  });

  const beginSoon = (step: Running) => {
    clearTimeout(step.beginTimer);
    step.beginTimer = setTimeout(begin, beginMs, step);
  };

  const begin = (step: Running) => {
    clearTimeout(step.beginTimer);
    const waited = !step.isBegun && step.isInterrupted;
    step.isBegun = true;
    if (waited && step === running) interrupt();
  };

  stdin.on(({ type, content }: JupyterMessage) => {
    const step = running;
    const request = type === 'input_request' ? inputRequestSchema.safeParse(content).data : undefined;
    if (!step || !request) return;
    const { stepId } = step.asked;
    const prompt = request.prompt.slice(0, promptCharactersMax);
    if (!step.asked.stdin) return refuseInput(step);
    streams.markMessage();
    send({ type: 'input_request', stepId, prompt, password: request.password });
  });

  const refuseInput = (step: Running) => {
    step.isRefused = true;
    interrupt();
    clearTimeout(step.refusalTimer);
    step.refusalTimer = setTimeout(interrupt, refuseAgainMs);
  };

  return {
    execute(asked: Execute): void {
      const content = {
        code: asked.code,
        silent: false,
        store_history: asked.silent !== true,
        user_expressions: asked.expressions ?? {},
        allow_stdin: asked.stdin === true,
        stop_on_error: false,
      };
      const { id, reply } = replies.request('execute_request', content);
      recent.add(id, asked.stepId);
      const flags = { isBegun: false, isInterrupted: false, isRefused: false, hasError: false, isIdle: false };
      const step: Running = { asked, id, ...flags, reply: null };
      running = step;
      drain();
      streams.beginStep(asked.nonce);
      void reply.then((replied) => {
        step.reply = executeReplySchema.safeParse(replied).data ?? null;
        finishIfComplete(step);
      });
    },

    /** Interrupts the step with this number if it runs. If its code has not begun, it is interrupted as soon as it has. */
    interrupt(number: number): void {
      if (running?.asked.number !== number) return;
      running.isInterrupted = true;
      if (running.isBegun) interrupt();
    },

    input({ stepId, text }: Extract<KernelRequest, { type: 'input' }>): void {
      if (running?.asked.stepId === stepId) stdin.send('input_reply', { value: text ?? endOfInput });
    },
  };
}

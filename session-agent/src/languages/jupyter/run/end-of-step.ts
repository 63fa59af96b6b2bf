import type { KernelMessage } from '@holdfast/specs/kernel';
import type { StepError } from '@holdfast/specs/public';
import type { ExecuteReply } from '../kernel/contents.ts';
import { boundedBundle } from '../show/bounded-bundle.ts';
import { describeError } from '../show/describe-error.ts';
import { plainText } from '../show/plain-text.ts';

export type Ended = {
  stepId: string;
  /** The names of the expressions that it asked for. */
  expressions: string[];
  isInterrupted: boolean;
  /** Whether it asked for input that it may not have. */
  isRefused: boolean;
  /** Whether its error has been sent. */
  hasError: boolean;
  /** Null if the kernel has sent none. */
  reply: ExecuteReply | null;
};

/** The messages that end a step, `done` last. Pure. */
export function endOfStep(step: Ended): KernelMessage[] {
  const { stepId, hasError, isInterrupted, reply } = step;
  const status = reply?.status === 'ok' ? 'succeeded' : isInterrupted ? 'interrupted' : 'failed';
  const error: KernelMessage[] =
    status === 'succeeded' || hasError ? [] : [{ type: 'error', stepId, ...missingError(step) }];
  // The protocol has no exit code: a kernel whose code exits asks its front end to end it.
  const isExit = reply?.payload.some(({ source }) => source === 'ask_exit');
  return [
    ...pages(stepId, reply),
    ...expressionValues(step, status),
    ...error,
    { type: 'done', stepId, status, ...(isExit && { exitCode: 0 }) },
  ];
}

/** A kernel that knows no expressions says nothing of them. */
function expressionValues({ stepId, expressions, reply }: Ended, status: string): KernelMessage[] {
  const answers = new Map(Object.entries(reply?.user_expressions ?? {}));
  return expressions.flatMap((name): KernelMessage[] => {
    const answer = answers.get(name);
    if (!answer) return status === 'succeeded' ? [{ type: 'expression', stepId, name, value: notEvaluated }] : [];
    const value = 'data' in answer ? boundedBundle(answer) : { error: describeError(answer) };
    return [{ type: 'expression', stepId, name, value }];
  });
}

/** Kernels send what a pager would show (`?sum` in R) with their reply. */
function pages(stepId: string, reply: ExecuteReply | null): KernelMessage[] {
  const shown = reply?.payload.filter(({ source }) => source === 'page') ?? [];
  return shown.map(({ data, metadata }) => {
    const text = data['text/plain'];
    const plain = typeof text === 'string' ? { ...data, 'text/plain': plainText(text) } : data;
    return { type: 'result', stepId, ...boundedBundle({ data: plain, metadata }), isMain: false };
  });
}

/** The error of a step that failed although its kernel published none. */
function missingError({ isRefused, isInterrupted, reply }: Ended): StepError {
  if (isRefused) return inputRefused;
  if (isInterrupted) return { name: 'Interrupt', message: 'the step was interrupted', traceback: [] };
  return reply ? describeError(reply) : noReply;
}

const inputRefused: StepError = {
  name: 'InputRefused',
  message: 'the step was not allowed to ask for input: set `stdin: true`',
  traceback: [],
};

const noReply: StepError = {
  name: 'KernelError',
  message: 'the kernel did not say how the step ended',
  traceback: [],
};

const notEvaluated: { error: StepError } = {
  error: { name: 'NotEvaluated', message: 'the kernel did not evaluate the expression', traceback: [] },
};

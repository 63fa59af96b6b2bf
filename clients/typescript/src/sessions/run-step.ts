import type { RunStep, Step } from '../generated/api.ts';
import { answerOf, type CallOptions, type Connection, newKey } from '../http/create-api.ts';
import { isRefusal } from '../http/holdfast-error.ts';
import type { OperationAnswers } from './answer-operations.ts';

/** A request of the code for a line of input. */
export type InputRequest = { prompt: string; password: boolean };

/** The context, the limits and the input of a step. */
export type RunOptions = Omit<RunStep, 'code' | 'wait' | 'stdin'> &
  CallOptions & {
    /** Answers code that asks for input; null ends the input. Without it, asking is an error in the code. */
    input?: ((request: InputRequest) => string | null | Promise<string | null>) | undefined;
    /** One of your own, if a repeat of this very program is to find the step that an earlier run of it started. */
    idempotencyKey?: string | undefined;
  };

/** A step that has ended, with the text of its main result beside it. */
export type FinishedStep = Step & {
  /** The main result as text, such as `42`; undefined if the last expression had no value. */
  text: string | undefined;
};

export type StepTarget = { connection: Connection; sessionId: string; operations: OperationAnswers };

/**
 * Runs code and waits for its end, over as many requests as it takes.
 * @throws HoldfastError if the step is refused. Code that raises is an answer with the status `failed`
 */
export async function runStep(target: StepTarget, code: string, options: RunOptions = {}): Promise<FinishedStep> {
  const { signal, body, header } = requestOf(code, options);
  const { api } = target.connection;
  const path = { sessionId: target.sessionId };
  const post = (wait?: false) =>
    answerOf(
      api.POST('/v1/sessions/{sessionId}/steps', {
        params: { path, header },
        body: wait === false ? { ...body, wait } : body,
        ...signal,
      }),
    );
  // The first request was cut off after it had begun: its key finds the step.
  const step = await post().catch((error) => {
    if (isRefusal(error, 'idempotency-conflict')) return post(false);
    throw error;
  });
  return finished(await waitForStep(target, step, options));
}

/** The parts of the request that `options` stand for. */
export function requestOf(code: string, { input, signal, idempotencyKey = newKey(), ...rest }: RunOptions) {
  const body: RunStep = { ...rest, code, ...(input && { stdin: true }) };
  return { input, body, header: { 'Idempotency-Key': idempotencyKey }, signal: signal ? { signal } : {} };
}

/** Sends a line to a step. One that has ended meanwhile, by its timeout perhaps, does not need it any more. */
export async function answerInput(
  { api }: Connection,
  path: { sessionId: string; stepId: string },
  { text, signal }: { text: string | null } & CallOptions,
): Promise<void> {
  const request = { params: { path }, body: { text }, ...(signal && { signal }) };
  await api.POST('/v1/sessions/{sessionId}/steps/{stepId}/stdin', request).catch((error) => {
    if (!isRefusal(error, 'stdin-closed')) throw error;
  });
}

/** Waits for the end of a step, and answers what it needs in between. */
export async function waitForStep(
  { connection, operations }: Pick<StepTarget, 'connection' | 'operations'>,
  first: Step,
  { input, signal }: Pick<RunOptions, 'input' | 'signal'> = {},
): Promise<Step> {
  const path = { sessionId: first.sessionId, stepId: first.id };
  let step = first;
  let after: { after?: string } = {};
  while (step.finishedAt === null) {
    const need = needOf(step);
    if (need?.what === 'operation') {
      operations.look();
      after = { after: need.operationId };
    }
    if (need?.what === 'stdin') {
      if (!input) return step;
      const text = await input({ prompt: need.prompt, password: need.password });
      await answerInput(connection, path, { text, signal });
    }
    const query = { waitSeconds: waitSecondsMax, ...after };
    step = await answerOf(
      connection.api.GET('/v1/sessions/{sessionId}/steps/{stepId}', {
        params: { path, query },
        ...(signal && { signal }),
      }),
    );
  }
  return step;
}

const waitSecondsMax = 30;

const needOf = ({ outcome }: Step) => (outcome?.tag === 'needs' ? outcome : null);

export function finished(step: Step): FinishedStep {
  const main = step.results.find(({ isMain }) => isMain)?.data['text/plain'];
  return { ...step, text: typeof main === 'string' ? main : undefined };
}

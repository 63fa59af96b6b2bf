import { setTimeout as delay } from 'node:timers/promises';
import type { Artifact, Job, Session, Step } from '@holdfast/specs/public';
import type { Deployment, Replica } from '../stage/deployment.ts';
import { type Answer, type Ask, type Ledger, noAnswer } from './ledger.ts';

export type Api = ReturnType<typeof createApi>;

type Sent = {
  ask: Ask;
  method: string;
  path: string;
  /** An object is sent as JSON, a text as it is. */
  body?: object | string | undefined;
  headers?: Record<string, string> | undefined;
};

/** Longer than any step and most outages. A client that waits no longer repeats its request elsewhere, as a load balancer makes it do. */
const requestMs = 10_000;
const afterNoAnswerMs = 200;

/** Makes requests of one client, each with an entry in its ledger. */
export function createApi({ ledger, deployment, stop }: { ledger: Ledger; deployment: Deployment; stop: AbortSignal }) {
  const replicaAt = (index: number): Replica => deployment.replicas[index % deployment.replicas.length] as Replica;

  /** Sends the request and returns the head of the answer; throws if none comes. */
  async function send({ ask, method, path, body, headers = {} }: Sent, signal: AbortSignal): Promise<Response> {
    const isJson = typeof body === 'object';
    return await fetch(`${replicaAt(ask.replica).current.url}${path}`, {
      method,
      headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
      signal,
    });
  }

  /** A request with a whole answer. It never throws: what did not come is in the answer as well. */
  async function request(sent: Sent): Promise<Answer> {
    const answered = ledger.enter(sent.ask);
    try {
      const response = await send(sent, AbortSignal.timeout(requestMs));
      return answered(answerOf(response.status, await response.text()));
    } catch (error) {
      answered({ ...noAnswer, code: reasonOf(error) });
      // A replica that is gone refuses at once; a client that came back at once would only fill its ledger.
      await delay(afterNoAnswerMs);
      return { ...noAnswer, code: reasonOf(error) };
    }
  }

  return { ledger, send, request, stop, requestMs };
}

function answerOf(status: number, text: string): Answer {
  const body = readJson(text);
  if (status >= 400 || !body) return { ...noAnswer, status, code: typeof body?.code === 'string' ? body.code : null };
  return { ...noAnswer, status, ...contentOf(body) };
}

/** The parts of an answer that the judge compares, by its shape. */
function contentOf(body: Record<string, unknown>): Partial<Answer> {
  const id = typeof body.id === 'string' ? body.id : typeof body.contextId === 'string' ? body.contextId : null;
  if ('exitCode' in body && 'artifacts' in body) {
    const { status, stdout = '', exitCode } = body as Job;
    return { id, job: { status, stdout, exitCode } };
  }
  if ('outcome' in body) return { id, step: body as Step, artifacts: (body as Step).artifacts };
  if (Array.isArray(body.items)) return { artifacts: body.items as Artifact[] };
  if ('endReason' in body) return { id, session: body as Session };
  return { id };
}

function readJson(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export const reasonOf = (error: unknown): string => {
  const { name, cause } = error as Error;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  return code ?? name;
};

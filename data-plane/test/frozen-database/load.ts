import { setTimeout as delay } from 'node:timers/promises';
import type { Step, StepEvent } from '@holdfast/specs/public';
import type { Replica } from './stage.ts';

/** A request and its answer, as its client saw them. */
export type Exchange = {
  kind: Kind;
  sessionId: string;
  /** The code appends it to a list in the session; a file has it as its name and content. */
  mark: string;
  /** By `performance.now()`. */
  beganAt: number;
  /** The time that this process has really lived through: on a busy machine it may get no turn while the answer is there. */
  tookMs: number;
  status: number;
  retryAfter: string | null;
  /** The end of the step, or the id of one that the client knows of. */
  step: Step | null;
  stepId: string | null;
  problem: string | null;
};

type Kind = 'plain' | 'keyed' | 'streamed' | 'upload' | 'read';
export const kinds: readonly Kind[] = ['plain', 'keyed', 'streamed', 'upload', 'read'];

type LoadInput = { replicas: readonly Replica[]; sessions: readonly string[]; clientsOfEach: number };

/** A client that has no answer by then begins its next request all the same. */
const patienceMs = 1000;

/** No two requests have the same, also in several loads. */
let marks = 0;

/** Clients of every kind on every session, each with one request after the other, until `stop`. */
export function startLoad({ replicas, sessions, clientsOfEach }: LoadInput) {
  const exchanges: Exchange[] = [];
  const stopping = new AbortController();
  const work = async (sessionId: string, kind: Kind, replica: Replica) => {
    const asked: Promise<unknown>[] = [];
    while (!stopping.signal.aborted) {
      const answered = ask(replica, { kind, sessionId, mark: `m${++marks}` }).then((exchange) => {
        exchanges.push(exchange);
        return exchange.status;
      });
      asked.push(answered);
      answered.catch(() => {});
      const status = await Promise.race([answered.catch(() => null), delay(patienceMs)]);
      await delay(status && status < 400 ? 5 : 100);
    }
    await Promise.all(asked);
  };
  const clients = sessions.flatMap((sessionId, index) =>
    kinds.flatMap((kind, at) =>
      Array.from({ length: clientsOfEach }, (_, nth) =>
        work(sessionId, kind, replicas[(index + at + nth) % replicas.length] as Replica),
      ),
    ),
  );
  return {
    exchanges,
    /** Begins no more requests. */
    [Symbol.dispose]: () => stopping.abort(),
    /** Resolves when every request has its answer. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(clients);
    },
  };
}

export type Ask = Pick<Exchange, 'kind' | 'sessionId' | 'mark'>;

const codeOf = ({ mark }: Ask) => `ran = [*globals().get('ran', []), '${mark}']\n'${mark}'`;

/** The same request again if the mark is the same. */
export async function ask({ url }: Pick<Replica, 'url'>, asked: Ask): Promise<Exchange> {
  const { kind, sessionId, mark } = asked;
  const session = `${url}/v1/sessions/${sessionId}`;
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ code: codeOf(asked) });
  const step = (headers: Record<string, string>) =>
    fetch(`${session}/steps`, { method: 'POST', headers: { ...json, ...headers }, body });
  const requests: Record<Kind, () => Promise<Response>> = {
    plain: () => step({}),
    keyed: () => step({ 'idempotency-key': mark }),
    streamed: () => step({ accept: 'application/x-ndjson' }),
    upload: () => fetch(`${session}/files/${mark}`, { method: 'PUT', body: mark }),
    read: () => fetch(session),
  };
  const beganAt = performance.now();
  const waited = countAwake();
  const response = await requests[kind]();
  const text = await response.text();
  return {
    ...asked,
    ...{ beganAt, tookMs: waited(), status: response.status },
    retryAfter: response.headers.get('retry-after'),
    ...answerOf(kind, response.status, text),
  };
}

const awakeTickMs = 100;

/** Returns how to stop the count. */
function countAwake(): () => number {
  let ms = 0;
  const timer = setInterval(() => {
    ms += awakeTickMs;
  }, awakeTickMs);
  return () => {
    clearInterval(timer);
    return ms;
  };
}

function answerOf(kind: Kind, status: number, text: string): Pick<Exchange, 'step' | 'stepId' | 'problem'> {
  if (status >= 400) return { step: null, stepId: null, problem: JSON.parse(text).code };
  if (kind === 'upload' || kind === 'read') return { step: null, stepId: null, problem: null };
  if (kind !== 'streamed') {
    const step: Step = JSON.parse(text);
    return { step, stepId: step.id, problem: null };
  }
  const events: StepEvent[] = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const last = events.at(-1) as StepEvent & { step?: Step };
  return { step: last?.step ?? null, stepId: events[0]?.stepId ?? null, problem: null };
}

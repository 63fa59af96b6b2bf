import type { StepEvent } from '@holdfast/specs/public';
import { type Api, reasonOf } from './api.ts';
import { type Answer, type CodeAsk, noAnswer } from './ledger.ts';

export type StreamType = 'text/event-stream' | 'application/x-ndjson';

type Streamed = {
  ask: CodeAsk & { what: 'step'; sessionId: string; replica: number };
  path: string;
  /** Null follows a step that runs. */
  body: object | null;
  type: StreamType;
  headers?: Record<string, string>;
  /** After so many events the client leaves. */
  events: number;
};

/** Reads the events of a step until its end, or leaves early. Both go into the ledger. */
export async function stream(api: Api, { ask, path, body, type, headers = {}, events }: Streamed): Promise<Answer> {
  const answered = api.ledger.enter(ask);
  const seen: Answer = { ...noAnswer, seqs: [] };
  const leave = new AbortController();
  try {
    const sent = {
      ask,
      method: body ? 'POST' : 'GET',
      path,
      body: body ?? undefined,
      headers: { ...headers, accept: type },
    };
    const response = await api.send(sent, AbortSignal.any([leave.signal, AbortSignal.timeout(api.requestMs)]));
    if (!response.ok || !response.body) {
      const problem = (await response.json()) as { code?: string };
      return answered({ ...seen, status: response.status, code: problem.code ?? null });
    }
    for await (const event of eventsOf(response.body)) {
      if ((event.type as string) === 'problem') return answered({ ...seen, code: 'problem' });
      seen.id = event.stepId;
      seen.seqs.push(event.seq);
      if (event.type === 'finished') {
        return answered({ ...seen, status: response.status, step: event.step, artifacts: event.step.artifacts });
      }
      if (seen.seqs.length >= events) return answered({ ...seen, code: 'left' });
    }
    return answered({ ...seen, code: 'ended early' });
  } catch (error) {
    return answered({ ...seen, code: reasonOf(error) });
  } finally {
    leave.abort();
  }
}

/** The events of both formats: a line is JSON, or JSON after `data: `. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StepEvent> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const json = line.startsWith('data: ') ? line.slice('data: '.length) : line;
      if (json.startsWith('{')) yield JSON.parse(json);
    }
  }
}

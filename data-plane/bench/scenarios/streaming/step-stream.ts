import type { Step, StepEvent } from '@holdfast/specs/public';
import { Client } from 'undici';
import type { Stage } from '../../stage/stage.ts';
import type { Product } from '../../stage/start-product.ts';

export type StepStream = ReturnType<typeof connectStream>;

/** One open connection for the steps of a session, whose events come as NDJSON. */
export function connectStream(
  { url, headers }: Pick<Product, 'url' | 'headers'>,
  { sessionId, defer }: { sessionId: string } & Pick<Stage, 'defer'>,
) {
  const connection = new Client(url, { bodyTimeout: 0 });
  const close = () => connection.destroy();
  defer(close);
  const path = `/v1/sessions/${sessionId}/steps`;

  async function open(code: string) {
    const answer = await connection.request({
      method: 'POST',
      path,
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/x-ndjson' },
      body: JSON.stringify({ code }),
    });
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${await answer.body.text()}`);
    return answer.body;
  }

  return {
    close,

    /** The answer, whose events the caller reads. */
    open,

    /** Resolves with the step of the last event. */
    async stream(code: string, onEvent: (event: StepEvent) => void): Promise<Step> {
      let step: Step | null = null;
      for await (const line of jsonLines(await open(code))) {
        const event: StepEvent = JSON.parse(line);
        if (event.type === 'finished') step = event.step;
        else onEvent(event);
      }
      if (!step) throw new Error('the stream ended before its step');
      return step;
    },

    /** The length in bytes of the complete output, which the sandbox stores if it is long. */
    async readOutput(stepId: string): Promise<number> {
      const { statusCode, body } = await connection.request({
        method: 'GET',
        path: `${path}/${stepId}/output/stdout`,
        headers,
      });
      if (statusCode !== 200) throw new Error(`${statusCode}: ${await body.text()}`);
      let length = 0;
      for await (const chunk of body) length += chunk.length;
      return length;
    },
  };
}

/** Joins the pieces of a long line once, at its end. */
async function* jsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      yield Buffer.concat([...pieces, chunk.subarray(start, end)]).toString();
      pieces = [];
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  }
}

import { product } from '../../peers/product.ts';
import type { Stage } from '../../stage/stage.ts';
import type { Product, ProductSession } from '../../stage/start-product.ts';
import { connectStream, type StepStream } from './step-stream.ts';

/** Something that shows output while the code runs. Each call resolves at the end of its step. */
export type StreamingPeer = {
  name: string;
  /** Output in the pieces in which it arrives. */
  stream(code: string, onOutput: (text: string) => void): Promise<{ error: string | null }>;
  /** The output in one piece, at the end. */
  read(code: string): Promise<string>;
  /** Stops the running step. */
  interrupt(): Promise<void>;
};

export type StreamedSession = StepStream & Pick<ProductSession, 'id'>;

/** The product with its events as NDJSON, and Jupyter Server if it is installed. */
export async function startStreamingPeers(stage: Stage) {
  const holdfast = await stage.holdfast();
  const { id, runStep, close } = await holdfast.openSession();
  stage.defer(close);
  const session: StreamedSession = { id, ...connectStream(holdfast, { sessionId: id, defer: stage.defer }) };
  const own: StreamingPeer = {
    ...productStreams(holdfast, session),
    read: async (code) => (await runStep({ code })).stdout,
  };
  const others = ((await stage.jupyter()) ?? []).map(
    ({ name, stream, run, interrupt }): StreamingPeer => ({
      name,
      stream,
      read: async (code) => (await run({ code, output: '', language: 'python' })).output,
      interrupt,
    }),
  );
  return { peers: [own, ...others], holdfast, session };
}

function productStreams({ request, headers }: Product, session: StreamedSession) {
  let stepId = '';
  return {
    name: product,
    stream: async (code: string, onOutput: (text: string) => void) => {
      const step = await session.stream(code, (event) => {
        stepId = event.stepId;
        if (event.type === 'stdout') onOutput(event.text);
      });
      return { error: step.error?.name ?? null };
    },
    interrupt: async () => {
      const path = `/v1/sessions/${session.id}/steps/${stepId}/interrupt`;
      const { status } = await request('POST', path, undefined, headers);
      if (status >= 300) throw new Error(`the step was not interrupted: ${status}`);
    },
  };
}

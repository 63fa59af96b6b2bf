import type { Process, ProcessEvent } from '@holdfast/specs/public';
import type { client } from '../support/start-holdfast.ts';

type Server = { url: string } & Pick<ReturnType<typeof client>, 'request'>;

/** The processes of one session as a client of one replica uses them. */
export function processClient({ url, request }: Server, sessionId: string) {
  const path = `/v1/sessions/${sessionId}/processes`;
  const expected = async (status: number, answer: ReturnType<Server['request']>) => {
    const { status: got, body } = await answer;
    if (got !== status) throw new Error(`${got}, not ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  return {
    path,
    start: (body: object): Promise<Process> => expected(202, request('POST', path, body)),
    run: (body: object): Promise<Process> => expected(200, request('POST', path, { waitSeconds: 30, ...body })),
    attempt: (body: object) => request('POST', path, body),
    read: (id: string, waitSeconds = 0): Promise<Process> =>
      expected(200, request('GET', `${path}/${id}?waitSeconds=${waitSeconds}`)),
    post: (id: string, operation: string, body: object) => request('POST', `${path}/${id}/${operation}`, body),
    /** The events behind a place, until `signal` aborts, the connection breaks or the process ends. */
    async *events(id: string, after = 0, signal?: AbortSignal): AsyncGenerator<ProcessEvent> {
      const response = await fetch(`${url}${path}/${id}/events?after=${after}`, {
        headers: { accept: 'application/x-ndjson' },
        ...(signal && { signal }),
      });
      if (!response.ok || !response.body) throw new Error(`${response.status}: ${await response.text()}`);
      const decoder = new TextDecoder();
      let rest = '';
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line) yield JSON.parse(line);
      }
    },
  };
}

/** The output in some events, as bytes. */
export const bytesIn = (events: readonly ProcessEvent[]): Buffer =>
  Buffer.concat(
    events.flatMap((event) => {
      if (event.type !== 'stdout' && event.type !== 'stderr') return [];
      return event.text === undefined ? [Buffer.from(event.base64 ?? '', 'base64')] : [Buffer.from(event.text)];
    }),
  );

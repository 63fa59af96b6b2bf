/** A client of the few operations that the host needs, on `fetch` alone. */
export type Client = ReturnType<typeof createClient>;

type Problem = { code: string; title: string; detail?: string };

/** An answer of the server that is not a success: an RFC 9457 problem. */
export class RefusedRequest extends Error {
  readonly code: string;

  constructor({ code, title, detail }: Problem) {
    super(detail ?? title);
    this.code = code;
  }
}

/** One line of the stream of a step. */
export type StepEvent = { type: string; [field: string]: unknown };

export function createClient({ url, key }: { url: string; key: string | undefined }) {
  const send = async (method: string, path: string, body?: unknown, accept = 'application/json') => {
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers: {
        accept,
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new RefusedRequest((await response.json()) as Problem);
    return response;
  };
  return {
    call: async <Answer>(method: string, path: string, body?: unknown) =>
      (await (await send(method, path, body)).json()) as Answer,

    /** Runs a step and gives its events as they come. */
    async *run(sessionId: string, code: string): AsyncGenerator<StepEvent> {
      const response = await send('POST', `/sessions/${sessionId}/steps`, { code }, 'application/x-ndjson');
      let rest = '';
      for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        // An empty line keeps a silent connection alive.
        for (const line of lines.filter(Boolean)) yield JSON.parse(line);
      }
    },
  };
}

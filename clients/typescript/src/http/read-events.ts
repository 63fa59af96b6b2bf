import { HoldfastError } from './holdfast-error.ts';

/** One server-sent event: its type, and its data, which is JSON. */
export type ServerSentEvent = { type: string; data: string };

/** The characters of the longest event. That of a step has all of its output, which servers bound. */
const eventCharactersMax = 256 * 1024 * 1024;

/** The server writes a comment every fifteen seconds. */
const serverSilenceMs = 45_000;

type ReadOptions = { signal?: AbortSignal | undefined; silenceMs?: number; charactersMax?: number };

/**
 * The events of an answer (WHATWG HTML, 9.2) as they arrive. The comments that keep the connection alive are left out, but a connection on
 * which nothing arrives for `silenceMs`, not even a comment, is given up: its server or the way to it is gone.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { signal, silenceMs = serverSilenceMs, charactersMax = eventCharactersMax }: ReadOptions = {},
): AsyncGenerator<ServerSentEvent> {
  const reader = body.getReader();
  // The signal of a request that was copied does not reach its answer in every runtime.
  const leave = () => void reader.cancel().catch(() => {});
  signal?.addEventListener('abort', leave);
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let characters = 0;
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader, silenceMs);
      signal?.throwIfAborted();
      if (done) return;
      const piece = decoder.decode(value, { stream: true });
      pieces.push(piece);
      characters += piece.length;
      if (characters > charactersMax) throw new HoldfastError('unexpected-answer', 'An event of the server has no end');
      // The middle of a long event, which is joined once and not with each of its pieces.
      if (!piece.includes('\n')) continue;
      const blocks = pieces.join('').split('\n\n');
      const rest = blocks.pop() ?? '';
      pieces = [rest];
      characters = rest.length;
      for (const block of blocks) {
        // The reader of the event before may have aborted.
        signal?.throwIfAborted();
        const event = eventOf(block);
        if (event) yield event;
      }
    }
  } finally {
    signal?.removeEventListener('abort', leave);
    await reader.cancel().catch(() => {});
  }
}

async function withinSilence(reader: ReadableStreamDefaultReader<Uint8Array>, silenceMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing arrived for ${silenceMs} ms`)), silenceMs);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } finally {
    clearTimeout(timer);
  }
}

function eventOf(block: string): ServerSentEvent | null {
  let type = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event:')) type = line.slice(6).trimStart();
    else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
  }
  return data.length > 0 ? { type, data: data.join('\n') } : null;
}

import type { Readable } from 'node:stream';

/** Something that happened to a container; `action` in Docker's words. */
export type EngineEvent = { action: string; id: string; labels: Readonly<Record<string, string>>; at: Date };

/**
 * Our events of the engine's stream, which has one JSON text per line. Finishes when the stream ends, for any reason.
 * @see https://docs.docker.com/reference/api/engine/version/v1.41/#tag/System/operation/SystemEvents
 */
export async function* engineEvents(
  stream: Readable,
  { signal, isOurs }: { signal: AbortSignal; isOurs: (event: EngineEvent) => boolean },
): AsyncGenerator<EngineEvent> {
  const end = () => stream.destroy();
  signal.addEventListener('abort', end, { once: true });
  const decoder = new TextDecoder();
  let pending = '';
  try {
    signal.throwIfAborted();
    for await (const chunk of stream) {
      const lines = (pending + decoder.decode(chunk, { stream: true })).split('\n');
      pending = lines.pop() ?? '';
      yield* lines
        .filter((line) => line.trim() !== '')
        .map(parseEvent)
        .filter(isOurs);
    }
  } finally {
    signal.removeEventListener('abort', end);
    stream.destroy();
  }
}

type RawEvent = { Action?: string; Actor?: { ID?: string; Attributes?: Record<string, string> }; timeNano?: number };

function parseEvent(line: string): EngineEvent {
  const { Action = '', Actor, timeNano } = JSON.parse(line) as RawEvent;
  const at = timeNano ? new Date(timeNano / 1e6) : new Date();
  return { action: Action, id: Actor?.ID ?? '', labels: Actor?.Attributes ?? {}, at };
}

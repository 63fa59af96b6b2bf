import type { RenderedEvent, RenderedOutput } from './event-renderer.ts';

/** How events are written to a stream. */
export type EventFormat = {
  contentType: string;
  /** The text around the JSON of an event. A stream cannot go on behind an event without an id. */
  before(event: Pick<RenderedEvent, 'type'> & Partial<Pick<RenderedEvent, 'id'>>): string;
  behind: string;
  /** Sent while the stream is silent, so that no proxy cuts it. Clients skip it. */
  heartbeat: string;
  /** The end of a stream that failed. */
  failure(problemJson: string): string;
};

/** Server-sent events (WHATWG HTML, 9.2). */
const eventStream: EventFormat = {
  contentType: 'text/event-stream',
  before: ({ type, id }) => `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: `,
  behind: '\n\n',
  heartbeat: ': still here\n\n',
  failure: (problemJson) => `event: problem\ndata: ${problemJson}\n\n`,
};

/** One JSON object a line; a line may be empty. */
const ndjson: EventFormat = {
  contentType: 'application/x-ndjson',
  before: () => '',
  behind: '\n',
  heartbeat: '\n',
  failure: (problemJson) => `{"type":"problem","problem":${problemJson}}\n`,
};

export const eventFormats = { 'text/event-stream': eventStream, 'application/x-ndjson': ndjson };

export const lineOf = (event: RenderedEvent, format: EventFormat): string =>
  format.before(event) + event.json + format.behind;

/** An event with output behind the text that came before it, in one piece for one write. */
export function withOutput(before: string, { json, text, end, ...event }: RenderedOutput, format: EventFormat): Buffer {
  const opening = Buffer.from(before + format.before(event) + json);
  return Buffer.concat([opening, ...text, Buffer.from(end + format.behind)]);
}

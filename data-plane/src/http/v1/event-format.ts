import type { RenderedEvent } from './event-renderer.ts';

/** How events are written to a stream. */
export type EventFormat = {
  contentType: string;
  line(event: RenderedEvent): string;
  /** The text around the JSON of an event that is written in slices. */
  before(event: Pick<RenderedEvent, 'type' | 'seq'>): string;
  behind: string;
  /** Sent while the stream is silent; empty if the format has no heartbeat. */
  heartbeat: string;
  /** The end of a stream that failed. */
  failure(problemJson: string): string;
};

/** Server-sent events (WHATWG HTML, 9.2). */
const eventStream: EventFormat = {
  contentType: 'text/event-stream',
  line: ({ type, seq, json }) => `id: ${seq}\nevent: ${type}\ndata: ${json}\n\n`,
  before: ({ type, seq }) => `id: ${seq}\nevent: ${type}\ndata: `,
  behind: '\n\n',
  heartbeat: ': still here\n\n',
  failure: (problemJson) => `event: problem\ndata: ${problemJson}\n\n`,
};

/** One JSON object a line. */
const ndjson: EventFormat = {
  contentType: 'application/x-ndjson',
  line: ({ json }) => `${json}\n`,
  before: () => '',
  behind: '\n',
  heartbeat: '',
  failure: (problemJson) => `{"type":"problem","problem":${problemJson}}\n`,
};

export const eventFormats = { 'text/event-stream': eventStream, 'application/x-ndjson': ndjson };

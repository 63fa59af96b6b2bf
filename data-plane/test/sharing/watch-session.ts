import { eventually } from '../support/eventually.ts';

/** An event as it came, without what differs between two replicas that saw it. */
export type Seen = { id: string; type: string; stepId?: string; seq?: number; data: Record<string, unknown> };

type WatchOptions = {
  /** The query of the first request. */
  query?: string;
  headers?: Record<string, string>;
};

export type Watcher = ReturnType<typeof watchSession>;

/** A client that watches a session as an EventSource does: after a cut it comes again with the id of its last event. */
export function watchSession(sessionId: string, { query = '', headers = {} }: WatchOptions = {}) {
  const seen: Seen[] = [];
  let stop = new AbortController();
  let reading: Promise<'ended' | 'cut'> = Promise.resolve('cut');
  let status = 0;

  async function read(url: string): Promise<'ended' | 'cut'> {
    const lastId = seen.at(-1)?.id;
    const response = await fetch(`${url}/v1/sessions/${sessionId}/events${query}`, {
      headers: { accept: 'text/event-stream', ...headers, ...(lastId && { 'last-event-id': lastId }) },
      signal: stop.signal,
    });
    status = response.status;
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of response.body ?? []) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) if (!block.startsWith(':')) seen.push(eventOf(block));
    }
    return 'ended';
  }

  return {
    seen,
    get status() {
      return status;
    },
    /** Resolves when the stream of the latest connection is over. */
    get over() {
      return reading;
    },
    connect(url: string): void {
      stop = new AbortController();
      reading = read(url).catch(() => 'cut');
    },
    async cut(): Promise<void> {
      stop.abort();
      await reading;
    },
    /** The events of each step, in the order in which they came. */
    bySteps: (): Map<string, unknown[]> => bySteps(seen),
    /** The ids of the entries of the audit log, in the order in which they came. */
    entries: () => seen.filter(({ type }) => type === 'session').map(({ data }) => data.id),
    has: (stepId: string, type: string) =>
      eventually(() => {
        if (!seen.some((event) => event.stepId === stepId && event.type === type))
          throw new Error(`no ${type} of ${stepId}`);
      }, 60_000),
  };
}

function eventOf(block: string): Seen {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const data = JSON.parse(fields.data ?? '{}');
  return { id: fields.id ?? '', type: fields.event ?? '', stepId: data.stepId, seq: data.seq, data };
}

/** A cursor belongs to one stream. */
export function bySteps(seen: readonly Pick<Seen, 'data'>[]): Map<string, unknown[]> {
  const steps = new Map<string, unknown[]>();
  for (const { data } of seen) {
    const { cursor: _, stepId, ...event } = data;
    if (typeof stepId !== 'string' || event.type === 'session') continue;
    steps.set(stepId, [...(steps.get(stepId) ?? []), event]);
  }
  return steps;
}

import type { AcceptedInput, ProcessEvent, Process as ProcessRecord, TerminalSize } from '../generated/api.ts';
import { answerOf, type CallOptions, type Connection, eventStream, newKey } from '../http/create-api.ts';
import { endedWith } from '../http/ended-with.ts';
import { HoldfastError, isRefusal } from '../http/holdfast-error.ts';
import { resumedEvents } from '../http/resumed-events.ts';
import { ProcessChannel } from './channel.ts';
import type { Signal } from './channel-messages.ts';

/** Output of a process, byte for byte; `text` is what of it is UTF-8. */
export type ProcessOutput = {
  stream: 'stdout' | 'stderr';
  bytes: Uint8Array;
  text: string;
  /** So many bytes before these came and are not stored any more. */
  missingBefore: number;
};

/** The place at which a channel begins, and its end. */
export type ChannelOptions = CallOptions & {
  /** The `seq` of the last output that you have, to go on behind it. */
  after?: number | undefined;
  /** `await using` on the channel kills the process, too. */
  endsProcess?: boolean | undefined;
};

/** A process beside the interpreters of a session. It goes on when its client leaves. */
export class Process {
  readonly #connection: Connection;
  /** The process as it was when this client last heard of it. */
  record: ProcessRecord;

  constructor(connection: Connection, record: ProcessRecord) {
    this.#connection = connection;
    this.record = record;
  }

  /** Names the process in the API: `prc_…`. */
  get id(): string {
    return this.record.id;
  }

  get #path() {
    return { sessionId: this.record.sessionId, processId: this.record.id };
  }

  /** Waits until the process has ended. */
  async wait({ signal }: CallOptions = {}): Promise<ProcessRecord> {
    let query = {};
    while (this.record.status === 'running') {
      this.record = await this.#read(query, signal);
      query = { waitSeconds: 30 };
    }
    return this.record;
  }

  /** Reads the process as it is now. */
  async refresh({ signal }: CallOptions = {}): Promise<ProcessRecord> {
    this.record = await this.#read({}, signal);
    return this.record;
  }

  #read(query: { waitSeconds?: number }, signal?: AbortSignal): Promise<ProcessRecord> {
    const params = { path: this.#path, query };
    return answerOf(
      this.#connection.api.GET('/v1/sessions/{sessionId}/processes/{processId}', { params, ...(signal && { signal }) }),
    );
  }

  /** All output from the beginning or behind a `seq`, then what comes, and `finished` as the last event. */
  async *events({
    after = 0,
    signal,
  }: CallOptions & { after?: number } = {}): AsyncGenerator<ProcessEvent, void, undefined> {
    const stop = endedWith(signal);
    try {
      const events = resumedEvents<ProcessEvent>({
        open: async (last) => {
          const { data } = await this.#connection.api.GET('/v1/sessions/{sessionId}/processes/{processId}/events', {
            params: { path: this.#path, query: { after: last?.seq ?? after } },
            parseAs: 'stream',
            headers: eventStream,
            signal: stop.signal,
          });
          return (data as ReadableStream<Uint8Array> | undefined) ?? null;
        },
        isLast: ({ type }) => type === 'finished',
        missingEnd: async ({ seq }) => {
          const process = await this.wait({ signal: stop.signal });
          return { type: 'finished', seq, sessionId: process.sessionId, processId: process.id, process };
        },
        patience: this.#connection.patience(stop.signal),
        signal: stop.signal,
      });
      for await (const event of events) {
        if (event.type === 'finished') this.record = event.process;
        yield event;
      }
    } finally {
      stop.end();
    }
  }

  /** The output alone, as bytes and as text. */
  async *output(options: CallOptions & { after?: number } = {}): AsyncGenerator<ProcessOutput, void, undefined> {
    const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
    let missingBefore = 0;
    for await (const event of this.events(options)) {
      if (event.type === 'truncated') missingBefore += event.bytes;
      if (event.type !== 'stdout' && event.type !== 'stderr') continue;
      const bytes = bytesOf(event);
      yield { stream: event.type, bytes, text: decoders[event.type].decode(bytes, { stream: true }), missingBefore };
      missingBefore = 0;
    }
  }

  /**
   * Writes to the input of a process that was started with `stdin: true` or a terminal, and waits until it has room for all of it. It is
   * never repeated, since bytes could arrive twice.
   * @throws HoldfastError `stdin-closed`
   */
  async write(
    input: string | Uint8Array,
    { end = false, signal }: CallOptions & { end?: boolean } = {},
  ): Promise<void> {
    let rest = typeof input === 'string' ? new TextEncoder().encode(input) : input;
    do {
      const piece = rest.subarray(0, pieceBytesMax);
      const isLast = piece.length === rest.length;
      const { taken } = await this.#send({ base64: base64Of(piece), end: end && isLast }, signal);
      rest = rest.subarray(taken);
    } while (rest.length > 0);
  }

  /** Ends the input. */
  async end({ signal }: CallOptions = {}): Promise<void> {
    await this.#send({ end: true }, signal);
  }

  #send(body: { base64?: string; end: boolean }, signal?: AbortSignal): Promise<AcceptedInput> {
    const params = { path: this.#path };
    return answerOf(
      this.#connection.api.POST('/v1/sessions/{sessionId}/processes/{processId}/stdin', {
        params,
        body,
        ...(signal && { signal }),
      }),
    );
  }

  /** Sends a signal to the process. Default: SIGTERM. Only SIGKILL is repeated if its connection breaks, since a second one changes nothing. */
  async signal(name: Signal = 'SIGTERM', { signal }: CallOptions = {}): Promise<void> {
    await this.#connection.api.POST('/v1/sessions/{sessionId}/processes/{processId}/signal', {
      params: { path: this.#path },
      body: { signal: name },
      ...(name === 'SIGKILL' && { headers: { 'Idempotency-Key': newKey() } }),
      ...(signal && { signal }),
    });
  }

  /** Gives the terminal of the process another size. */
  async resize(size: TerminalSize, { signal }: CallOptions = {}): Promise<void> {
    await this.#connection.api.POST('/v1/sessions/{sessionId}/processes/{processId}/terminal', {
      params: { path: this.#path },
      body: size,
      ...(signal && { signal }),
    });
  }

  /**
   * Opens a WebSocket to the process, which is ready at once: what is written waits until it is open. In a page of a browser, the client needs
   * the token of a share link with the access `run` as its `apiKey`; Node 20 needs the option `webSocket` of the client.
   * @throws TypeError if this runtime has no WebSocket
   */
  channel({ after = 0, endsProcess = false, signal }: ChannelOptions = {}): ProcessChannel {
    const { patience, openSocket, api } = this.#connection;
    const { sessionId, processId } = this.#path;
    const path = `/v1/sessions/${sessionId}/processes/${processId}/channel`;
    const explain = async (over: AbortSignal) => {
      const request = { params: { path: this.#path }, signal: over };
      await api.GET('/v1/sessions/{sessionId}/processes/{processId}/channel', request).catch((error) => {
        // All was well but that this is not a handshake.
        if (!isRefusal(error, 'invalid-request')) throw error;
      });
      await this.refresh({ signal: over });
    };
    const open = (place: number) => openSocket(`${path}?after=${place}`);
    return new ProcessChannel(this, { open, explain, patience, after }, { endsProcess, signal });
  }

  /** Kills the process if it still runs, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.record.status !== 'running') return;
    await this.signal('SIGKILL').catch((error) => {
      if (!(error instanceof HoldfastError) || !over.has(error.code)) throw error;
    });
  }
}

/** The process has ended, or its session with it. */
const over: ReadonlySet<string> = new Set(['process-ended', 'session-ended', 'session-paused', 'session-not-active']);

const pieceBytesMax = 256 * 1024;

function base64Of(bytes: Uint8Array): string {
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; at += 8192) texts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return btoa(texts.join(''));
}

/** The bytes of one event of output. */
export function bytesOf({ text, base64 }: { text?: string; base64?: string }): Uint8Array<ArrayBuffer> {
  if (base64 === undefined) return new TextEncoder().encode(text);
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

import { connectionBroke } from '../http/holdfast-error.ts';
import type { Socket } from '../http/open-socket.ts';
import type { Patience } from '../http/patience.ts';
import { type ChannelNotice, noticeOf } from './channel-messages.ts';

type Ends = {
  /** Begins a connection that goes on behind a place of the output. */
  open(after: number): Socket;
  /** Rejects with the reason if the server refuses the connection for good. */
  explain(signal: AbortSignal): Promise<unknown>;
  /** The time for repeats, whose waits end with the signal. */
  patience(signal: AbortSignal): Patience;
  after: number;
  /** A connection on which nothing arrives for so long is given up: the server or the way to it is gone. */
  silenceMs?: number;
};

type Events = {
  onOpen(socket: Socket): void;
  onOutput(bytes: Uint8Array, seq: number): void;
  onNotice(notice: ChannelNotice): void;
  /** The connection is gone: what it had not answered is answered no more. */
  onLost(): void;
  /** Called once. `failure`: the connection ended before the process, and not by `end`. */
  onEnd(failure: { error: unknown } | null): void;
};

export type ChannelLink = ReturnType<typeof createChannelLink>;

const pauseOutput = 'pause-output';

/** After a connection that held so long, all the time for repeats is left again. */
const goodMs = 5000;

/** The server pings every fifteen seconds, and says `alive` for those that see no pings. */
const serverSilenceMs = 45_000;

/** Keeps a channel connected, over as many connections as it takes, and counts its bytes, so that each comes once. */
export function createChannelLink(
  { open, explain, patience: patienceUntil, after, silenceMs = serverSilenceMs }: Ends,
  events: Events,
) {
  const over = new AbortController();
  const patience = patienceUntil(over.signal);
  let seq = after;
  let current: Socket | null = null;
  let isOpen = false;
  let isStopped = false;
  /** The types of commands that the server of this connection takes. Those of before list none. */
  let commands: ReadonlySet<string> = new Set();
  const waiting: (() => void)[] = [];
  const nextChange = () => new Promise<void>((resolve) => void waiting.push(resolve));
  const change = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };

  const end = (failure: { error: unknown } | null = null) => {
    if (over.signal.aborted) return;
    const socket = current;
    current = null;
    isOpen = false;
    over.abort();
    // One that is not read would not see the answer to its close, and wait for it.
    socket?.resume?.();
    socket?.close();
    events.onEnd(failure);
    change();
  };

  const lose = () => {
    current = null;
    isOpen = false;
    events.onLost();
    change();
  };

  const note = (socket: Socket, notice: ChannelNotice) => {
    if ('seq' in notice) seq = notice.seq;
    if (notice.type === 'opened') {
      isOpen = true;
      commands = new Set(notice.commands);
      events.onOpen(socket);
      change();
    }
    events.onNotice(notice);
    if (notice.type === 'finished') end();
  };

  /** Resolves to whether the connection was open, when it is not any more. */
  const connection = (socket: Socket) =>
    new Promise<boolean>((resolve) => {
      let wasOpen = false;
      let silence: ReturnType<typeof setTimeout> | undefined;
      const leave = () => {
        clearTimeout(silence);
        over.signal.removeEventListener('abort', leave);
        if (current === socket) lose();
        resolve(wasOpen);
      };
      /** A connection that is open may be silent if neither pings nor `alive` come. */
      const heard = () => {
        clearTimeout(silence);
        const maySilent = wasOpen && !socket.on && commands.size === 0;
        if (current === socket && !maySilent) silence = setTimeout(giveUp, silenceMs);
      };
      const giveUp = () => {
        // It is not read, so nothing is heard.
        if (isStopped && socket.pause) return heard();
        abandon();
      };
      const abandon = () => {
        leave();
        socket.close();
      };
      heard();
      socket.on?.('ping', heard);
      socket.binaryType = 'arraybuffer';
      socket.addEventListener('message', ({ data }) => {
        if (current !== socket) return;
        if (typeof data === 'string') {
          const notice = noticeOf(data);
          // Not the server's: something on the way to it answers in its place.
          if (!notice) return void abandon();
          note(socket, notice);
        } else {
          const bytes = new Uint8Array(data as ArrayBuffer);
          seq += bytes.length;
          patience.renew();
          events.onOutput(bytes, seq);
        }
        wasOpen ||= isOpen;
        heard();
      });
      socket.addEventListener('error', leave);
      socket.addEventListener('close', leave);
      over.signal.addEventListener('abort', leave, { once: true });
    });

  const keep = async () => {
    while (!over.signal.aborted) {
      if (isStopped) {
        await nextChange();
        continue;
      }
      const startedAtMs = Date.now();
      current = open(seq);
      commands = new Set();
      const wasOpen = await connection(current);
      if (over.signal.aborted || isStopped) continue;
      if (wasOpen && Date.now() - startedAtMs > goodMs) patience.renew();
      // A handshake that is refused does not say why.
      if (!wasOpen) await explain(over.signal);
      if (!(await patience.again())) throw connectionBroke();
    }
  };
  keep().catch((error) => end({ error }));

  /** Closes a connection that cannot wait. It is opened again behind the last byte. */
  const cut = () => {
    const socket = current;
    if (!socket || socket.pause) return;
    lose();
    socket.close();
  };

  return {
    end,

    /** Resolves to the connection once it is open; null if the channel is over. */
    async opened(): Promise<Socket | null> {
      while (!isOpen && !over.signal.aborted) await nextChange();
      return current;
    },

    /** Whether this connection is still the one. */
    isCurrent: (socket: Socket) => socket === current,

    /** Whether commands with an `id` are answered. */
    answers: () => commands.size > 0,

    /** Reads no more. A connection that cannot wait asks the server to, so that input and signals still go. */
    stop(): void {
      isStopped = true;
      if (current?.pause) current.pause();
      else if (current && commands.has(pauseOutput)) current.send(JSON.stringify({ type: pauseOutput }));
      else cut();
    },

    /** Much came although the server was asked to wait: an end is put to it, until the reader goes on. */
    cut,

    goOn(): void {
      isStopped = false;
      if (current?.resume) current.resume();
      else if (current && commands.has(pauseOutput)) current.send(JSON.stringify({ type: 'resume-output' }));
      change();
    },
  };
}

import type { SharedTimer } from '../steps/shared-timer.ts';
import type { Cursor, StepLog } from '../steps/step-log.ts';

/**
 * How long the first frames wait for the rest, so that a fast step is sent in one write. A second write costs the reader a second wake-up
 * and parse. If a client watches the step, the data-plane needs its beginning as soon as the step's intent is committed. Otherwise it shows
 * nothing before 25 ms, and a longer wait saves most steps a timer that wakes the agent after their end.
 */
const gatherMs = { watched: 3, unwatched: 20 };

/** Node copies the text of an answer to join it with the head, so a longer one is written from the log's own memory. */
const textBytesMax = 16 * 1024;

/** So much is written without waiting for the rest, so that the other side can begin with it. */
const writeBytesMin = 256 * 1024;
/** So much may wait in the connection. It is memory of the log. */
const aheadBytesMax = 512 * 1024;

/** The part of Node's `ServerResponse` that is needed here. */
export type FrameAnswer = {
  readonly destroyed: boolean;
  readonly headersSent: boolean;
  readonly writableLength: number;
  readonly socket: { cork(): void; uncork(): void } | null;
  on(event: 'drain' | 'close', listener: () => void): unknown;
  setHeader(name: string, value: string | number): unknown;
  writeHead(status: number, headers: Record<string, string | number>): unknown;
  write(bytes: Uint8Array): boolean;
  end(): unknown;
  end(text: string, encoding: 'latin1'): unknown;
};

/** `gathering` is for the time in which the first frames are gathered. */
type Frames = { log: StepLog; cursor: Cursor; gathering: SharedTimer; isWatched?: boolean };

/**
 * Answers with a step's frames from the cursor on, both existing and future ones. It holds a position in the log and no copy, so a slow
 * reader needs no extra memory. A reader that disconnects does not affect the step.
 */
export function streamFrames(outgoing: FrameAnswer, { log, cursor, gathering, isWatched = true }: Frames): void {
  let soon: NodeJS.Immediate | undefined;
  let isBlocked = false;
  let isGathering = true;

  const write = () => {
    clearImmediate(soon);
    soon = undefined;
    const finished = log.state === 'finished';
    if (finished || outgoing.destroyed) gathering.clear(gathered);
    if (outgoing.destroyed) unfollow();
    if (isBlocked || outgoing.destroyed) return;
    if (!outgoing.headersSent) {
      if (finished && writeAtOnce(outgoing, { log, cursor })) return;
      begin(finished);
    }
    // Corks the socket and not the response: a response that ends while it is corked loses its last chunks.
    outgoing.socket?.cork();
    for (let bytes = log.read(cursor); bytes; bytes = log.read(cursor)) {
      if (outgoing.write(bytes) || outgoing.writableLength < aheadBytesMax) continue;
      isBlocked = true;
      break;
    }
    if (finished && !isBlocked) outgoing.end();
    outgoing.socket?.uncork();
  };

  /** Most steps end before they need a second write, so the listeners for it are added only now. */
  const begin = (finished: boolean) => {
    outgoing.setHeader('content-type', frames);
    if (finished) outgoing.setHeader('content-length', log.bytesFrom(cursor));
    outgoing.on('drain', () => {
      isBlocked = false;
      write();
    });
    outgoing.on('close', () => {
      unfollow();
      clearImmediate(soon);
      gathering.clear(gathered);
    });
  };

  const gathered = () => {
    isGathering = false;
    write();
  };

  const changed = () => {
    if (log.state === 'finished') write();
    else if (isBlocked) return;
    else if ((soon || isGathering) && log.bytesFrom(cursor) >= writeBytesMin) write();
    else if (!isGathering || log.hasCalls) soon ??= setImmediate(write);
  };
  const unfollow = log.follow(changed);
  // A step that waits for its kernel does not end soon, and the next step is sent when this one is known to be taken.
  const isWaiting = log.state === 'queued' && log.frames > 0;
  if (log.state === 'finished' || isWaiting) gathered();
  else gathering.set(gathered, isWatched ? gatherMs.watched : gatherMs.unwatched);
}

const frames = 'application/octet-stream';

/**
 * Writes a short answer as text with one byte for each character, which Node joins with the head: one string costs less than a vector of
 * buffers. Returns false if the answer is not short.
 */
function writeAtOnce(outgoing: FrameAnswer, { log, cursor }: { log: StepLog; cursor: Cursor }): boolean {
  const length = log.bytesFrom(cursor);
  if (length > textBytesMax) return false;
  outgoing.writeHead(200, { 'content-type': frames, 'content-length': length });
  let text = '';
  for (let bytes = log.read(cursor); bytes; bytes = log.read(cursor)) text += bytes.toString('latin1');
  outgoing.end(text, 'latin1');
  return true;
}

import type { ServerResponse } from 'node:http';
import type { Cursor, StepLog } from '../steps/step-log.ts';

/** How long the first frames wait for the rest, so that a fast step is sent in one write. */
const gatherMs = 1;

/**
 * Answers with a step's frames from the cursor on, both existing and future ones. It holds a position in the log and no copy, so a slow
 * reader needs no extra memory. A reader that disconnects does not affect the step.
 */
export function streamFrames(outgoing: ServerResponse, { log, cursor }: { log: StepLog; cursor: Cursor }): void {
  let later: NodeJS.Timeout | undefined;
  let soon: NodeJS.Immediate | undefined;
  let isBlocked = false;

  const write = () => {
    clearTimeout(later);
    clearImmediate(soon);
    soon = undefined;
    if (isBlocked || outgoing.destroyed) return;
    if (!outgoing.headersSent) outgoing.setHeader('content-type', 'application/octet-stream');
    const finished = log.state === 'finished';
    if (finished && !outgoing.headersSent) outgoing.setHeader('content-length', log.bytesFrom(cursor));
    // Corks the socket and not the response: a response that ends while it is corked loses its last chunks.
    outgoing.socket?.cork();
    for (let bytes = log.read(cursor); bytes; bytes = log.read(cursor)) {
      if (outgoing.write(bytes)) continue;
      isBlocked = true;
      break;
    }
    if (finished && !isBlocked) outgoing.end();
    outgoing.socket?.uncork();
  };

  const changed = () => {
    if (log.state === 'finished') write();
    else if (outgoing.headersSent) soon ??= setImmediate(write);
  };
  const unfollow = log.follow(changed);
  outgoing.on('drain', () => {
    isBlocked = false;
    write();
  });
  outgoing.on('close', () => {
    unfollow();
    clearTimeout(later);
    clearImmediate(soon);
  });
  if (log.state === 'finished') write();
  else later = setTimeout(write, gatherMs);
}

import type { ServerResponse } from 'node:http';
import type { Cursor, StepLog } from '../steps/step-log.ts';

/** How long the first frames wait for the rest, so that a fast step is one write. */
const holdMs = 1;

/**
 * Answers with a step's frames from the cursor on, those that are there and those that come. It keeps a place in the log and no
 * copy, so a reader that is slow costs nothing more; one that goes away changes nothing for the step.
 */
export function streamFrames(outgoing: ServerResponse, { log, cursor }: { log: StepLog; cursor: Cursor }): void {
  let hold: NodeJS.Timeout | undefined;
  let soon: NodeJS.Immediate | undefined;
  let blocked = false;

  const write = () => {
    clearTimeout(hold);
    clearImmediate(soon);
    soon = undefined;
    if (blocked || outgoing.destroyed) return;
    if (!outgoing.headersSent) outgoing.setHeader('content-type', 'application/octet-stream');
    const finished = log.state === 'finished';
    if (finished && !outgoing.headersSent) outgoing.setHeader('content-length', log.bytesFrom(cursor));
    // The socket is corked and not the response: a response that is ended while corked loses its last chunks.
    outgoing.socket?.cork();
    for (let bytes = log.read(cursor); bytes; bytes = log.read(cursor)) {
      if (outgoing.write(bytes)) continue;
      blocked = true;
      break;
    }
    if (finished && !blocked) outgoing.end();
    outgoing.socket?.uncork();
  };

  const changed = () => {
    if (log.state === 'finished') write();
    else if (outgoing.headersSent) soon ??= setImmediate(write);
  };
  const unfollow = log.follow(changed);
  outgoing.on('drain', () => {
    blocked = false;
    write();
  });
  outgoing.on('close', () => {
    unfollow();
    clearTimeout(hold);
    clearImmediate(soon);
  });
  if (log.state === 'finished') write();
  else hold = setTimeout(write, holdMs);
}

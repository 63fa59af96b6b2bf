import type { ServerResponse } from 'node:http';
import type { AgentProcess } from '@holdfast/specs/agent';
import type { Pacing } from '../processes/log/pacing.ts';
import type { LogReader, ProcessLog } from '../processes/log/process-log.ts';
import { createEndsReader } from '../processes/log/read-ends.ts';

/** So much may wait in the connection. It is memory of the log. */
const aheadBytesMax = 128 * 1024;

type Followed = { log: ProcessLog; pacing: Pacing };
type Following = Pick<AgentProcess, 'output' | 'paced'> & { after: number };

/**
 * Answers with the frames of a process behind a position, existing and future ones. A reader holds a place in the log and no copy; one that disconnects
 * does not affect the process.
 */
export function streamProcess(outgoing: ServerResponse, process: Followed, { after, output, paced }: Following): void {
  const { log } = process;
  const reader: LogReader = { position: after, block: null, offset: 0 };
  const pace = paced && output === 'all' ? process.pacing.join(reader) : null;
  const next = output === 'all' ? () => log.read(reader) : createEndsReader(log, after);
  let soon: NodeJS.Immediate | undefined;
  let isBlocked = false;

  const write = () => {
    soon = undefined;
    if (isBlocked || outgoing.destroyed) return;
    outgoing.socket?.cork();
    for (let bytes = next(); bytes; bytes = next()) {
      outgoing.write(bytes);
      pace?.moved();
      isBlocked = outgoing.writableLength >= aheadBytesMax;
      if (isBlocked) break;
    }
    if (log.done && !isBlocked) outgoing.end();
    outgoing.socket?.uncork();
  };
  // All that comes in one turn of the event loop leaves together.
  const unfollow = log.follow(() => {
    soon ??= setImmediate(write);
  });

  outgoing.writeHead(200, { 'content-type': 'application/octet-stream' });
  outgoing.on('drain', () => {
    isBlocked = false;
    write();
  });
  outgoing.on('close', () => {
    unfollow();
    clearImmediate(soon);
    pace?.leave();
  });
  soon = setImmediate(write);
}

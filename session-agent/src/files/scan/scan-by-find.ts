import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { uploadPrefix } from '@holdfast/specs/public';
import type { Workspace } from '../paths/open-workspace.ts';
import { findFormat, type Scan } from './scan-record.ts';

/** A step's end waits for it. */
const msMax = 5000;
/** find goes on past what it cannot read and ends with 1 then. */
const exitCodes = [0, 1];

/**
 * Scans a workspace with GNU find in a process of its own, while the agent goes on.
 * @throws where there is no such find, or where it takes too long
 */
export async function scanByFind({ descriptor }: Pick<Workspace, 'descriptor'>, filesMax: number): Promise<Scan> {
  const hidden = ['-name', `${uploadPrefix}*`, '-prune'];
  const find = spawn('find', ['.', '-xdev', ...hidden, '-o', '!', '-type', 'd', '-printf', findFormat], {
    cwd: `/proc/${process.pid}/fd/${descriptor}`,
    // Without a zone of its own, find would read the system's for every time that it prints.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC0' },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: msMax,
    killSignal: 'SIGKILL',
  });
  const ended = once(find, 'close');
  // What fails to start says so by an error, which `ended` throws once it is awaited.
  ended.catch(() => {});
  const pieces: Buffer[] = [];
  let count = 0;
  let isCut = false;
  for await (const piece of find.stdout as AsyncIterable<Buffer>) {
    const { records, end } = countRecords(piece, filesMax - count);
    count += records;
    pieces.push(piece.subarray(0, end));
    isCut = end < piece.length;
    if (isCut) break;
  }
  if (isCut) find.kill('SIGKILL');
  const [code] = await ended;
  if (!isCut && !exitCodes.includes(code)) throw new Error(`find ended with ${code}`);
  return { records: wholeRecords(Buffer.concat(pieces)), count, isCut };
}

/** How many records end in a piece, up to `max`, and where the last of them ends; the piece's end where it holds no more than that. */
function countRecords(piece: Buffer, max: number): { records: number; end: number } {
  let records = 0;
  for (let at = 0; at < piece.length; at++) {
    if (piece[at] === 0 && records++ === max) return { records: max, end: at };
  }
  return { records, end: piece.length };
}

/** Without a record that was cut off. */
const wholeRecords = (records: Buffer): Buffer => records.subarray(0, records.lastIndexOf(0) + 1);

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { uploadPrefix } from '@holdfast/specs/public';
import type { Workspace } from '../paths/open-workspace.ts';
import { findFormats, type Scan } from './scan-record.ts';

/** The end of a step waits for the scan. */
const msMax = 5000;
/** find continues past entries that it cannot read, and then exits with 1. */
const exitCodes = [0, 1];

/**
 * Scans a workspace with GNU find in another process, without blocking the agent.
 * @throws Error if GNU find is not installed or takes too long
 */
export async function scanByFind({ descriptor }: Pick<Workspace, 'descriptor'>, entriesMax: number): Promise<Scan> {
  const hidden = ['-name', `${uploadPrefix}*`, '-prune'];
  const directories = ['-type', 'd', '-readable', '-executable', '-printf', findFormats.directory];
  const unreadable = ['-type', 'd', '-printf', findFormats.unreadable, '-prune'];
  const kinds = [...hidden, '-o', ...directories, '-o', ...unreadable, '-o', '-printf', findFormats.other];
  const find = spawn('find', ['.', '-mindepth', '1', '-xdev', ...kinds], {
    cwd: `/proc/${process.pid}/fd/${descriptor}`,
    // Without TZ, find would read the system's time zone for each time that it prints.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC0' },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: msMax,
    killSignal: 'SIGKILL',
  });
  const ended = once(find, 'close');
  // If find cannot be started, `ended` rejects, and throws when it is awaited below.
  ended.catch(() => {});
  const pieces: Buffer[] = [];
  let count = 0;
  let isCut = false;
  for await (const piece of find.stdout as AsyncIterable<Buffer>) {
    const { records, end } = countRecords(piece, entriesMax - count);
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

/** Counts the records that end in a piece, up to `max`. `end` is the end of the last of them if there are more, else the piece's end. */
function countRecords(piece: Buffer, max: number): { records: number; end: number } {
  let records = 0;
  for (let at = 0; at < piece.length; at++) {
    if (piece[at] === 0 && records++ === max) return { records: max, end: at };
  }
  return { records, end: piece.length };
}

/** Without an incomplete record at the end. */
const wholeRecords = (records: Buffer): Buffer => records.subarray(0, records.lastIndexOf(0) + 1);

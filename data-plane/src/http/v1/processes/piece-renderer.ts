import { isUtf8 } from 'node:buffer';
import type { ProcessEvent } from '@holdfast/specs/public';
import type { LogEnd } from '../../../processes/log/follow-log.ts';
import type { LogPiece } from '../../../processes/log/log-piece.ts';
import { processView } from '../../../processes/process-view.ts';

type Output = Extract<LogPiece, { bytes: Buffer }>;

/**
 * Renders the log of one process as public events, piece by piece. A character whose bytes come in two pieces is held back until the second one: the place
 * of each event is the one behind its own bytes, so a reader that breaks off there gets the rest.
 */
export function createPieceRenderer({ sessionId, processId }: { sessionId: string; processId: string }) {
  let held: Output | null = null;

  const event = ({ type, bytes, position: seq }: Output): ProcessEvent => ({
    type,
    ...(isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString('base64') }),
    seq,
    sessionId,
    processId,
  });

  function* flush(): Generator<ProcessEvent> {
    if (held) yield event(held);
    held = null;
  }

  function* output(piece: Output): Generator<ProcessEvent> {
    if (held && held.type !== piece.type) yield* flush();
    const bytes = held ? Buffer.concat([held.bytes, piece.bytes]) : piece.bytes;
    held = null;
    const cut = unfinishedBytes(bytes);
    if (cut > 0 && isUtf8(bytes.subarray(0, -cut))) {
      held = { ...piece, bytes: Buffer.from(bytes.subarray(-cut)) };
      if (cut < bytes.length) yield event({ ...piece, bytes: bytes.subarray(0, -cut), position: piece.position - cut });
    } else yield event({ ...piece, bytes });
  }

  return function* render(piece: LogPiece | LogEnd): Generator<ProcessEvent> {
    if (piece.type === 'stdout' || piece.type === 'stderr') return yield* output(piece);
    yield* flush();
    const place = { seq: piece.position, sessionId, processId };
    if (piece.type === 'truncated') yield { type: 'truncated', bytes: piece.missing, ...place };
    else if (piece.type === 'finished') yield { type: 'finished', process: processView(piece.row), ...place };
  };
}

/** How many bytes at the end may be the beginning of a character (RFC 3629). */
function unfinishedBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? back : 0;
  }
  return 0;
}

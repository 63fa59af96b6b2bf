import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { byteRange, matchesEtag, Problem } from '@holdfast/specs/public';
import type { OpenFile } from '../files/read/open-file.ts';
import { readFile } from '../files/read/read-file.ts';
import { etagOf } from '../files/write/file-condition.ts';
import { streamPieces } from './stream-pieces.ts';

/**
 * Answers with an open file or one range of it, following RFC 9110 for `If-Match`, `If-None-Match`, `If-Range` and `Range`.
 *
 * @throws Problem `precondition-failed` or `range-not-satisfiable`, before anything is sent
 */
export async function answerFile(
  { incoming, outgoing }: { incoming: IncomingMessage; outgoing: ServerResponse },
  { file, sha256 }: { file: OpenFile; sha256: string },
): Promise<void> {
  const { headers, method } = incoming;
  const etag = etagOf(sha256);
  const size = Number(file.stats.size);
  if (headers['if-match'] !== undefined && !matchesEtag(headers['if-match'], { etag, weak: false })) {
    throw new Problem('precondition-failed', { detail: `the file's ETag is ${etag}` });
  }
  outgoing.setHeader('etag', etag);
  if (headers['if-none-match'] !== undefined && matchesEtag(headers['if-none-match'], { etag, weak: true })) {
    outgoing.writeHead(304).end();
    return;
  }
  outgoing.setHeader('accept-ranges', 'bytes');
  const part = method === 'GET' ? requestedRange(headers, { etag, outgoing, size }) : null;
  const range = part ?? { start: 0, end: size };
  if (part) outgoing.setHeader('content-range', `bytes ${part.start}-${part.end - 1}/${size}`);
  outgoing.writeHead(part ? 206 : 200, {
    'content-type': 'application/octet-stream',
    'content-length': range.end - range.start,
    'last-modified': file.stats.mtime.toUTCString(),
  });
  if (method === 'HEAD') outgoing.end();
  else await streamPieces(outgoing, readFile(file, range));
}

function requestedRange(
  headers: IncomingHttpHeaders,
  { etag, outgoing, size }: { etag: string; outgoing: ServerResponse; size: number },
) {
  if (headers['if-range'] !== undefined && headers['if-range'] !== etag) return null;
  try {
    return byteRange(headers.range, size);
  } catch (problem) {
    outgoing.setHeader('content-range', `bytes */${size}`);
    throw problem;
  }
}

import type { OutgoingHttpHeaders } from 'node:http';
import { byteRange, matchesEtag, Problem } from '@holdfast/specs/public';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { OpenArtifact } from '../../artifacts/open-artifact.ts';
import { type Edge, type EdgeContext, setAnswerHeader } from './edge.ts';
import { streamBytes, untrustedContent } from './stream-bytes.ts';

/**
 * Answers with a content, the whole or one range, as RFC 9110 has it for `If-None-Match`, `If-Range` and `Range`.
 *
 * @throws Problem `range-not-satisfiable`
 */
export async function answerContent(edge: Pick<Edge, 'log'>, c: EdgeContext, content: OpenArtifact): Promise<Response> {
  const etag = `"${content.sha256}"`;
  const headers: OutgoingHttpHeaders = { ETag: etag, 'Cache-Control': 'private, no-cache' };
  const known = c.req.header('if-none-match');
  if (known !== undefined && matchesEtag(known, { etag, weak: true })) return respond(c, 304, headers);
  const part = c.req.method === 'GET' ? askedRange(c, { etag, size: content.size }) : null;
  const range = part ?? { start: 0, end: content.size };
  const status = part ? 206 : 200;
  Object.assign(headers, {
    'Content-Type': content.mimeType,
    'Content-Length': range.end - range.start,
    'Content-Disposition': contentDisposition(content.path),
    ...untrustedContent,
    'Accept-Ranges': 'bytes',
    ...(part && { 'Content-Range': `bytes ${part.start}-${part.end - 1}/${content.size}` }),
  });
  if (c.req.method === 'HEAD') return respond(c, status, headers);
  return await streamBytes(edge, c, {
    head: () => ({ status, headers }),
    async read({ onChunk, signal }) {
      for await (const piece of content.read(range)) {
        signal.throwIfAborted();
        await onChunk(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
      }
    },
  });
}

/** Written past hono, which would give an answer without a body the length zero. */
function respond(c: EdgeContext, status: number, headers: OutgoingHttpHeaders): Response {
  const outgoing = c.env?.outgoing;
  if (!outgoing) throw new Error('contents can only be sent by a server');
  outgoing.writeHead(status, headers).end();
  return RESPONSE_ALREADY_SENT;
}

function askedRange(c: EdgeContext, { etag, size }: { etag: string; size: number }) {
  const ifRange = c.req.header('if-range');
  if (ifRange !== undefined && ifRange !== etag) return null;
  try {
    return byteRange(c.req.header('range'), size);
  } catch (error) {
    if (error instanceof Problem) setAnswerHeader(c, 'Content-Range', `bytes */${size}`);
    throw error;
  }
}

/**
 * The header that names a file for saving (RFC 6266). A name that is not plain ASCII comes a second time as UTF-8 (RFC 8187). Pure.
 */
export function contentDisposition(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/gu, '_');
  if (plain === name) return `inline; filename="${name}"`;
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `inline; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

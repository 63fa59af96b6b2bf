import type { MiddlewareHandler } from 'hono';
import type { Edge, EdgeContext, EdgeEnv } from './edge.ts';
import { setAnswerHeader } from './edge.ts';

type Origins = Pick<Edge, 'corsOrigins'>;

/** Headers of answers that a page can read beside those that every page can. */
const exposed = [
  'Content-Disposition',
  'Content-Length',
  'Content-Location',
  'Content-Range',
  'ETag',
  'Holdfast-Offset',
  'Holdfast-Output',
  'Location',
  'Mcp-Session-Id',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ');

/** Headers that a page can send. Its key is one of them: cookies are never taken, so `Access-Control-Allow-Credentials` is missing. */
const sent = [
  'Authorization',
  'Content-Digest',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'If-Range',
  'Last-Event-ID',
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
  'Range',
  'X-API-Key',
  'X-Request-Id',
].join(', ');

/** Lets pages of the listed origins read an answer (Fetch, 3.2). */
export function admitOrigin({ corsOrigins }: Origins, c: EdgeContext): void {
  if (corsOrigins.size === 0) return;
  // A cache must not give one origin the answer to another.
  setAnswerHeader(c, 'Vary', 'Origin');
  const origin = c.req.header('origin');
  if (origin === undefined || !corsOrigins.has(origin)) return;
  setAnswerHeader(c, 'Access-Control-Allow-Origin', origin);
  setAnswerHeader(c, 'Access-Control-Expose-Headers', exposed);
}

/** Answers the request with which a browser asks whether a page of another origin may send its own. All others are answered as ever. */
export function answerPreflight({ corsOrigins }: Origins): MiddlewareHandler<EdgeEnv> {
  return async function preflight(c, next) {
    const isPreflight = c.req.method === 'OPTIONS' && c.req.header('access-control-request-method') !== undefined;
    if (!isPreflight || !corsOrigins.has(c.req.header('origin') ?? '')) return await next();
    return c.body(null, 204, {
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'Access-Control-Allow-Headers': sent,
      'Access-Control-Max-Age': '600',
    });
  };
}

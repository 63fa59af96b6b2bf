import { Problem } from '@holdfast/specs/public';
import type { MiddlewareHandler } from 'hono';
import type { Edge, EdgeEnv } from '../../edge/edge.ts';

const loopback = /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/**
 * Refuses requests that a web page of a site which is not listed makes, also if they bring a key, as the transport demands (MCP 2025-11-25, Streamable
 * HTTP, Security Warning).
 */
export function refuseForeignOrigin({ corsOrigins }: Pick<Edge, 'corsOrigins'>): MiddlewareHandler<EdgeEnv> {
  return async function refuseForeign(c, next) {
    const origin = c.req.header('origin');
    const host = c.req.header('host');
    const isOwn = origin === `http://${host}` || origin === `https://${host}`;
    if (origin !== undefined && !isOwn && !loopback.test(origin) && !corsOrigins.has(origin)) {
      throw new Problem('forbidden', { detail: `the origin ${JSON.stringify(origin)} is not this server` });
    }
    await next();
  };
}

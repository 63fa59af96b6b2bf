import { Problem } from '@holdfast/specs/public';
import type { MiddlewareHandler } from 'hono';
import type { EdgeEnv } from './edge.ts';

const dotSegment = /(?:^|\/)(?:\.|%2e){1,2}(?:[/?#]|$)/i;

/**
 * Refuses a URL whose path has `.` or `..` in it, plain or encoded. The router removes these segments first (RFC 3986, 5.2.4), so
 * `DELETE …/files/../../ses_…` would delete a session.
 *
 * @throws Problem `invalid-request`
 */
export function refuseDotSegments(): MiddlewareHandler<EdgeEnv> {
  return async function refuse(c, next) {
    const [path = ''] = (c.env?.incoming?.url ?? '').split('?');
    if (dotSegment.test(path)) {
      const detail = 'a URL must not have . or .. in its path';
      throw new Problem('invalid-request', { detail, errors: [{ pointer: 'path', detail }] });
    }
    await next();
  };
}

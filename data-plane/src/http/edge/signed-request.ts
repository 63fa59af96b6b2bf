import { apiKeyIdSchema } from '@holdfast/specs/public';
import type { MiddlewareHandler } from 'hono';
import type { Edge, EdgeEnv } from './edge.ts';
import { endWithKey } from './end-with.ts';

type SignedQuery = { expires?: unknown; signature?: unknown };

/** Whether a request comes with the signature of a URL. */
export const isSigned = ({ expires, signature }: SignedQuery): boolean =>
  expires !== undefined || signature !== undefined;

/** A signature stands in for an API key; the verb checks whether it is valid. The request ends with the key that signed it. */
export const unlessSigned =
  (edge: Pick<Edge, 'addOpenRequest'>, authorized: MiddlewareHandler<EdgeEnv>): MiddlewareHandler<EdgeEnv> =>
  (c, next) => {
    const query = c.req.query();
    if (!isSigned(query)) return authorized(c, next);
    const key = apiKeyIdSchema.safeParse(query.key);
    if (key.success) endWithKey(edge, c, key.data);
    return next();
  };

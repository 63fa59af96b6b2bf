import { Problem, type Scope } from '@holdfast/specs/public';
import type { MiddlewareHandler } from 'hono';
import type { Edge, EdgeContext, EdgeEnv } from './edge.ts';
import { foreignRequest } from './foreign-request.ts';

/**
 * Requires a key with this scope. If keys are optional, rejects requests that a web page of another site makes.
 * @throws Problem `unauthenticated`, `forbidden`, or `invalid-request` if two different keys are sent
 */
export function authorize(
  edge: Pick<Edge, 'authenticate' | 'addOpenRequest'>,
  scope: Scope,
): MiddlewareHandler<EdgeEnv> {
  return async function authorized(c, next) {
    await admitCaller(edge, c, scope);
    await next();
  };
}

/** The same for one request: sets its caller. Throws as `authorize`. */
export async function admitCaller(
  edge: Pick<Edge, 'authenticate' | 'addOpenRequest'>,
  c: EdgeContext,
  scope: Scope,
): Promise<void> {
  const caller = await edge.authenticate(keyOf(c));
  const event = c.get('event');
  event.tenant = caller.tenant;
  event.keyId = caller.keyId ?? undefined;
  if (caller.keyId === null) refuseForeign(c);
  else endWithKey(edge, c, caller.keyId);
  if (!caller.scopes.has(scope)) throw new Problem('forbidden', { detail: `the scope ${scope} is needed` });
  c.set('caller', caller);
}

/** Closes the connection if the key is revoked before the answer has ended. */
export function endWithKey({ addOpenRequest }: Pick<Edge, 'addOpenRequest'>, c: EdgeContext, keyId: string): void {
  const outgoing = c.env?.outgoing;
  if (outgoing)
    outgoing.once(
      'close',
      addOpenRequest(keyId, () => outgoing.destroy()),
    );
}

/** A page of another site cannot know a key. Without a key, the request's origin has to show that it is meant. */
function refuseForeign(c: EdgeContext): void {
  const reason = foreignRequest({
    host: c.req.header('host'),
    origin: c.req.header('origin'),
    fetchSite: c.req.header('sec-fetch-site'),
  });
  if (reason !== null) throw new Problem('forbidden', { detail: `${reason}, and no API key was sent` });
}

/** An empty key counts as none, so that `-H "Authorization: Bearer $KEY"` also works if keys are optional. */
function keyOf(c: EdgeContext): string | null {
  const authorization = c.req.header('authorization');
  const fromHeader = c.req.header('x-api-key')?.trim() || null;
  const bearer = authorization === undefined ? null : /^bearer(?: +(\S*))?$/i.exec(authorization.trim());
  if (authorization?.trim() && !bearer) {
    throw new Problem('unauthenticated', { detail: 'Authorization must be: Bearer <key>' });
  }
  const fromBearer = bearer?.[1] || null;
  if (fromBearer && fromHeader && fromBearer !== fromHeader) {
    const detail = 'two different keys: send Authorization or X-API-Key';
    throw new Problem('invalid-request', { detail, errors: [{ pointer: 'header/X-API-Key', detail }] });
  }
  return fromBearer ?? fromHeader;
}

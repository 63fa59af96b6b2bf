import { Problem, type Scope, shareTokenSchema, tokenScope } from '@holdfast/specs/public';
import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Caller } from '../../sessions/caller.ts';
import { plainChallenge } from './answer-problem.ts';
import type { Edge, EdgeContext, EdgeEnv } from './edge.ts';
import { endWithKey, endWithToken } from './end-with.ts';
import { foreignRequest } from './foreign-request.ts';
import { metadataUrl } from './resource-metadata.ts';
import { type AskedOperation, refuseBeyondShare } from './shared-operations.ts';

type AuthorizeDependencies = Pick<Edge, 'authenticate' | 'addOpenRequest' | 'tokenIssuer'>;

/** `tokenInQuery`: a browser opens the operation with an EventSource, which sends no headers. */
type AuthorizeOptions = { tokenInQuery?: boolean };

/**
 * Requires a key with this scope, or a share link that allows the operation. If keys are optional, rejects requests that a web page of
 * another site makes.
 * @throws Problem `unauthenticated`, `forbidden`, or `invalid-request` if two different keys are sent
 */
export function authorize(
  edge: AuthorizeDependencies,
  scope: Scope,
  { tokenInQuery = false }: AuthorizeOptions = {},
): MiddlewareHandler<EdgeEnv> {
  return async function authorized(c, next) {
    const operation = { method: c.req.method, path: routePath(c), sessionId: c.req.param('sessionId') };
    await admitCaller(edge, c, { scope, operation, token: tokenInQuery ? tokenOf(c) : null });
    await next();
  };
}

type Admission = { scope: Scope; operation: AskedOperation; token?: string | null };

/**
 * The same for one request: sets its caller. Null: it is set already, because the key was known. Throws as `authorize`, or rejects with the
 * same.
 */
export function admitCaller(edge: AuthorizeDependencies, c: EdgeContext, admission: Admission): Promise<void> | null {
  const found = callerOf(edge, c, admission);
  if (found instanceof Promise) return found.then((caller) => admit(edge, c, admission, caller));
  admit(edge, c, admission, found);
  return null;
}

function admit(edge: AuthorizeDependencies, c: EdgeContext, { scope, operation }: Admission, caller: Caller): void {
  const event = c.get('event');
  event.tenant = caller.tenant;
  event.keyId = caller.keyId ?? undefined;
  if (caller.keyId === null) refuseForeign(c);
  else endWithKey(edge, c, caller.keyId);
  endWithToken(c, caller);
  if (caller.share) refuseBeyondShare(caller.share, operation);
  else if (!caller.scopes.has(scope)) {
    c.set('challenge', challengeOf(edge, c, { error: 'insufficient_scope', scope }));
    throw new Problem('forbidden', { detail: `the scope ${scope} is needed` });
  }
  c.set('caller', caller);
}

function callerOf(
  edge: AuthorizeDependencies,
  c: EdgeContext,
  { scope, token = null }: Pick<Admission, 'scope' | 'token'>,
): Caller | Promise<Caller> {
  const noteRefusal = (error: unknown) => {
    const isSent = c.req.header('authorization') !== undefined;
    if (error instanceof Problem && error.status === 401)
      c.set('challenge', challengeOf(edge, c, { error: isSent ? 'invalid_token' : null, scope }));
  };
  const untilFound = async (finding: Promise<Caller>) => {
    try {
      return await finding;
    } catch (error) {
      noteRefusal(error);
      throw error;
    }
  };
  try {
    const found = edge.authenticate(keyOf(c, token));
    return found instanceof Promise ? untilFound(found) : found;
  } catch (error) {
    noteRefusal(error);
    throw error;
  }
}

type Refusal = { error: 'invalid_token' | 'insufficient_scope' | null; scope: Scope };

/**
 * The challenge of a refusal (RFC 6750, 3; RFC 9728, 5.1): with an issuer, a client learns from it how to get a token, and which scope that
 * needs.
 */
function challengeOf({ tokenIssuer }: Pick<Edge, 'tokenIssuer'>, c: EdgeContext, { error, scope }: Refusal): string {
  if (tokenIssuer === null) return plainChallenge;
  const reason = error ? `, error="${error}"` : '';
  return `${plainChallenge}${reason}, scope="${tokenScope(scope)}", resource_metadata="${metadataUrl(tokenIssuer, c)}"`;
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
function keyOf(c: EdgeContext, token: string | null): string | null {
  const authorization = c.req.header('authorization');
  const fromHeader = c.req.header('x-api-key')?.trim() || null;
  const bearer = authorization === undefined ? null : /^bearer(?: +(\S*))?$/i.exec(authorization.trim());
  if (authorization?.trim() && !bearer) {
    throw new Problem('unauthenticated', { detail: 'Authorization must be: Bearer <key>' });
  }
  const fromBearer = bearer?.[1] || null;
  const sent = new Set([fromBearer, fromHeader, token].filter((key) => key !== null));
  if (sent.size > 1) {
    const detail = token ? 'a key and another token: send one' : 'two different keys: send Authorization or X-API-Key';
    throw new Problem('invalid-request', {
      detail,
      errors: [{ pointer: token ? 'query/token' : 'header/X-API-Key', detail }],
    });
  }
  return fromBearer ?? fromHeader ?? token;
}

/**
 * The token of a share link in the query. An API key must not stand there: URLs end up in logs and histories.
 * @throws Problem `unauthenticated`
 */
function tokenOf(c: EdgeContext): string | null {
  const token = c.req.query('token');
  if (token === undefined) return null;
  if (shareTokenSchema.safeParse(token).success) return token;
  throw new Problem('unauthenticated', { detail: 'the query parameter token takes the token of a share link' });
}

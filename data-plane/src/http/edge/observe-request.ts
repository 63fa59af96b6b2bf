import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { admitOrigin } from './cross-origin.ts';
import type { Edge, EdgeContext, EdgeEnv } from './edge.ts';
import { setAnswerHeader } from './edge.ts';

type ObserveDependencies = Pick<Edge, 'log' | 'metrics' | 'agentAuthBypassed' | 'corsOrigins'>;

const acceptableId = /^[\x21-\x7e]{1,128}$/;

/** Observes every request that hono routes, from its head to the end of its answer. */
export function observeRequest(edge: ObserveDependencies): MiddlewareHandler<EdgeEnv> {
  return async function observe(c, next) {
    const startedAtMs = performance.now();
    beginRequest(edge, c);
    await next();
    const status = c.env?.outgoing?.headersSent ? c.env.outgoing.statusCode : c.res.status;
    const path = routePath(c, -1);
    endRequest(edge, c, { route: path === '/*' ? 'unknown' : path, status, startedAtMs });
  };
}

/**
 * Gives a request its id and sets the headers that all answers share. They are set first because an answer that is written past hono cannot
 * be changed afterwards.
 */
export function beginRequest(edge: Pick<Edge, 'agentAuthBypassed' | 'corsOrigins'>, c: EdgeContext): void {
  const given = c.req.header('x-request-id');
  const requestId = given && acceptableId.test(given) ? given : randomUUID();
  c.set('requestId', requestId);
  c.set('event', {});
  setAnswerHeader(c, 'X-Request-Id', requestId);
  setAnswerHeader(c, 'X-Content-Type-Options', 'nosniff');
  setAnswerHeader(c, 'Cache-Control', 'no-store');
  if (edge.agentAuthBypassed) setAnswerHeader(c, 'Holdfast-Insecure', 'agent-auth-bypassed');
  admitOrigin(edge, c);
}

type Answered = { route: string; status: number; startedAtMs: number };

/** Logs one event for a request that was answered, and counts it. */
export function endRequest(
  { log, metrics }: Pick<Edge, 'log' | 'metrics'>,
  c: EdgeContext,
  { route, status, startedAtMs }: Answered,
): void {
  const durationMs = performance.now() - startedAtMs;
  const { method } = c.req;
  metrics.request({ route, method: knownMethods.has(method) ? method : 'other', status, durationMs });
  const rounded = Math.round(durationMs * 100) / 100;
  const fields = { requestId: c.get('requestId'), method, route, status, durationMs: rounded, ...c.get('event') };
  // Nothing but the code in a sandbox decides whether a server listens there.
  const isOrdinary = status < 500 || c.get('event').problem === 'port-closed';
  if (isOrdinary) log.info(fields, 'request');
  // Only 500 is a fault of the program. The others say that something around it is away, full or not there yet.
  else log[status === 500 ? 'error' : 'warn']({ ...fields, err: c.error }, 'request');
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

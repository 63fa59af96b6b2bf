import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Edge, EdgeEnv } from './edge.ts';
import { setAnswerHeader } from './edge.ts';

const acceptableId = /^[\x21-\x7e]{1,128}$/;

/**
 * Gives every request an id, sets the headers that all answers share, and when the answer has ended logs one event and
 * counts it. The headers are set first because an answer that is written past hono cannot be changed afterwards.
 */
export function observeRequest(edge: Pick<Edge, 'log' | 'metrics' | 'agentAuthBypassed'>): MiddlewareHandler<EdgeEnv> {
  return async function observe(c, next) {
    const startedAt = performance.now();
    const given = c.req.header('x-request-id');
    const requestId = given && acceptableId.test(given) ? given : randomUUID();
    const event = {};
    c.set('requestId', requestId);
    c.set('event', event);
    setAnswerHeader(c, 'X-Request-Id', requestId);
    setAnswerHeader(c, 'X-Content-Type-Options', 'nosniff');
    setAnswerHeader(c, 'Cache-Control', 'no-store');
    if (edge.agentAuthBypassed) setAnswerHeader(c, 'Holdfast-Insecure', 'agent-auth-bypassed');
    await next();
    const durationMs = performance.now() - startedAt;
    const { method } = c.req;
    const status = c.env?.outgoing?.headersSent ? c.env.outgoing.statusCode : c.res.status;
    const path = routePath(c, -1);
    const route = path === '/*' ? 'unknown' : path;
    edge.metrics.request({ route, method: knownMethods.has(method) ? method : 'other', status, durationMs });
    const fields = { requestId, method, route, status, durationMs: Math.round(durationMs * 100) / 100, ...event };
    if (status < 500) edge.log.info(fields, 'request');
    // Only 500 is a fault of the program. The others say that something around it is away, full or not there yet.
    else edge.log[status === 500 ? 'error' : 'warn']({ ...fields, err: c.error }, 'request');
  };
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

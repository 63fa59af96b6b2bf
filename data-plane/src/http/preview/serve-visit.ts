import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from '@holdfast/specs/public';
import type { AdmittedVisit, admitVisit } from '../../ports/admit-visit.ts';
import type { connectVisit } from '../../ports/connect-visit.ts';
import type { PreviewHosts } from '../../ports/preview-hosts.ts';
import { asProblem } from '../edge/answer-problem.ts';
import type { Edge } from '../edge/edge.ts';
import { endAt } from '../edge/end-with.ts';
import { answerRefusal } from './answer-refusal.ts';
import { isFromOtherSession } from './asking-page.ts';
import { checkRequest } from './check-request.ts';
import { forward } from './forward.ts';
import { type Credentials, cookieName, readCredentials } from './read-credentials.ts';
import { requestHeaders } from './request-headers.ts';

export type VisitDependencies = Pick<Edge, 'addOpenRequest' | 'log' | 'metrics'> & {
  hosts: PreviewHosts;
  admitVisit(visit: Parameters<typeof admitVisit>[1]): ReturnType<typeof admitVisit>;
  connectVisit(asked: Parameters<typeof connectVisit>[1]): ReturnType<typeof connectVisit>;
};

type Requested = {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  /** The bytes that came behind the head of a request for an upgrade. */
  early?: Buffer;
};

const cookieNames = [cookieName(true), cookieName(false)];

/** Serves one request of a visitor, from its head to the end of its answer. Never rejects. */
export async function serveVisit(deps: VisitDependencies, { incoming, outgoing, early }: Requested): Promise<void> {
  const startedAtMs = performance.now();
  const requestId = randomUUID();
  const { socket } = incoming;
  const left = new AbortController();
  const leave = () => left.abort();
  for (const one of [socket, outgoing]) one.once('close', leave);
  const event: Record<string, string> = {};
  try {
    await visit(deps, { incoming, outgoing, early: early ?? nothing, left, event });
  } catch (error) {
    const problem = asProblem(error);
    event.problem = problem.slug;
    if (problem.status === 500 && !left.signal.aborted) deps.log.error({ requestId, err: error }, 'a visit failed');
    if (outgoing.headersSent) outgoing.destroy();
    else answerRefusal({ incoming, outgoing, problem, requestId });
  } finally {
    // The connection may serve many more visits.
    socket.off('close', leave);
  }
  const durationMs = Math.round((performance.now() - startedAtMs) * 100) / 100;
  const method = incoming.method ?? '';
  const seen = { route: 'port', method, status: outgoing.statusCode, durationMs };
  deps.metrics.request({ ...seen, method: knownMethods.has(method) ? method : 'other' });
  deps.log.info({ requestId, ...seen, ...event }, 'request');
}

type Visited = Required<Requested> & { left: AbortController; event: Record<string, string> };

async function visit(deps: VisitDependencies, visited: Visited): Promise<void> {
  const { hosts } = deps;
  const { incoming, outgoing, early, left, event } = visited;
  const host = incoming.headers.host ?? '';
  const place = hosts.placeOf(host);
  if (!place) throw new Problem('not-found', { detail: 'no port has this host name' });
  event.sessionId = place.sessionId;
  const framing = checkRequest(incoming, host);
  const shown = readCredentials(incoming.url ?? '', incoming.headers, hosts.isSecure);
  const { linkToken, cookieTokens, key, bearer, path, waitSeconds } = shown;
  const ownCookies = isFromOtherSession(incoming, { hosts, sessionId: place.sessionId }) ? [] : cookieTokens;
  const tokens = linkToken === null ? ownCookies : [linkToken, ...ownCookies];
  const foreign = foreignVisit(incoming, `${hosts.isSecure ? 'https' : 'http'}://${host}`);
  const admitted = await deps.admitVisit({ place, tokens, key, bearer, foreign });
  const release = endWith(deps, admitted, () => {
    left.abort();
    incoming.socket.destroy();
  });
  try {
    if (linkToken !== null && !framing.isUpgrade && (incoming.method === 'GET' || incoming.method === 'HEAD'))
      return leaveAddress(outgoing, { host, shown, admitted, hosts });
    const connection = await deps.connectVisit({ port: admitted.port, waitSeconds, signal: left.signal });
    left.signal.addEventListener('abort', () => connection.destroy());
    if (left.signal.aborted) connection.destroy();
    const { isBearerOurs } = admitted;
    const { rawHeaders, socket } = incoming;
    const from = { host, isSecure: hosts.isSecure, remoteAddress: socket.remoteAddress };
    const headers = requestHeaders({ ...framing, rawHeaders, cookieNames, isBearerOurs, ...from });
    await forward({ incoming, outgoing, connection, path, headers, framing, cookieNames, early });
  } finally {
    release();
  }
}

/** Ends a visit with the port's time and the visitor's token, or if the port is closed or the key revoked. Returns a function for the visit's own end. */
function endWith(
  { addOpenRequest }: Pick<VisitDependencies, 'addOpenRequest'>,
  { port, caller }: AdmittedVisit,
  end: () => void,
): () => void {
  const visitor = port.access === 'key' ? caller : null;
  const ids = [port.id, ...(visitor?.keyId ? [visitor.keyId] : [])];
  const releases = [
    ...ids.map((id) => addOpenRequest(id, end)),
    endAt(port.endsAtMs, end),
    endAt(visitor?.endsAtMs, end),
  ];
  return () => {
    for (const release of releases) release();
  };
}

type Leaving = { host: string; shown: Credentials; admitted: AdmittedVisit; hosts: PreviewHosts };

/** The token moves from the address, which is logged, shown and passed on, into a cookie. */
function leaveAddress(outgoing: ServerResponse, { host, shown, admitted, hosts }: Leaving): void {
  const { port, token } = admitted;
  const seconds = Math.max(0, Math.floor((port.endsAtMs - performance.now()) / 1000));
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${hosts.isSecure ? '; Secure' : ''}`;
  const isOfAddress = token !== null && token === shown.linkToken;
  outgoing.writeHead(303, {
    // With the host, since a path that begins with two slashes would name another one.
    Location: `${hosts.isSecure ? 'https' : 'http'}://${host}${shown.path}`,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'Content-Length': 0,
    ...(isOfAddress && { 'Set-Cookie': `${cookieName(hosts.isSecure)}=${token}; ${attributes}` }),
  });
  outgoing.end();
}

/** The reason to believe that a page of another host makes a request, or null. */
function foreignVisit({ headers }: IncomingMessage, own: string): string | null {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (origin !== undefined && origin.toLowerCase() !== own.toLowerCase()) return `it comes from ${origin}`;
  return site === undefined || site === 'same-origin' || site === 'none' ? null : 'it comes from another site';
}

const nothing = Buffer.alloc(0);
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

import type { IncomingMessage } from 'node:http';
import type { PreviewHosts } from '../../ports/preview-hosts.ts';

type Asked = { hosts: PreviewHosts; sessionId: string };

/**
 * Whether the cookies of a request may have been sent along with what a page of another session asks for: a script, an image, a form or a
 * WebSocket. If the domain is one site to browsers, `SameSite` does not hold them back. Links and frames may lead from one session to another,
 * since the page that has them does not read what they show. Browsers alone write `Sec-Fetch-Site`, but older ones and other clients do not. Pure.
 */
export function isFromOtherSession(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  asked: Asked,
): boolean {
  const { origin, referer } = headers;
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return false;
  const isNavigation = (method === 'GET' || method === 'HEAD') && headers['sec-fetch-mode'] === 'navigate';
  if (origin !== undefined) return !isOfSession(origin, asked);
  if (site === undefined || isNavigation) return false;
  return referer === undefined || !isOfSession(referer, asked);
}

function isOfSession(address: string, { hosts, sessionId }: Asked): boolean {
  const host = /^https?:\/\/([^/]+)/i.exec(address)?.[1] ?? '';
  return hosts.placeOf(host)?.sessionId === sessionId;
}

import type { IncomingMessage } from 'node:http';
import { Problem } from '@holdfast/specs/public';

type Head = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders' | 'headers'>;

/** How a request is forwarded. */
export type Framing = { isUpgrade: boolean; hasBody: boolean; contentLength: string | null };

/**
 * Refuses a request that a server could read in another way than we do, before anything of it is forwarded (RFC 9112, 11.2). Pure.
 * @param host the name for which the request is
 * @throws Problem 400, 405
 */
export function checkRequest({ method = '', url = '', rawHeaders, headers }: Head, host: string): Framing {
  if (method === 'CONNECT' || method === 'TRACE')
    throw new Problem('method-not-allowed', { detail: `${method} is not forwarded` });
  if (!url.startsWith('/')) throw invalid('the target of the request must be a path');
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  const twice = singular.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice) throw invalid(`the header ${twice} comes twice`);
  const encoding = headers['transfer-encoding'];
  const length = headers['content-length'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked')
    throw invalid('the only transfer encoding that is forwarded is chunked');
  if (encoding !== undefined && length !== undefined) throw invalid('a body has a length or an encoding, not both');
  if (length !== undefined && !/^\d{1,15}$/.test(length)) throw invalid('the length of the body is not a number');
  if ((headers.via ?? '').toLowerCase().split(/[ ,]+/).includes(host.toLowerCase()))
    throw invalid('the server of the port sends requests back to its own port');
  const hasBody = encoding !== undefined || (length !== undefined && Number(length) > 0);
  const isUpgrade = isWebSocket(headers);
  if (isUpgrade && (method !== 'GET' || encoding !== undefined || length !== undefined))
    throw invalid('an upgrade is a GET without a body');
  return { isUpgrade, hasBody, contentLength: length ?? null };
}

/** No other protocol is forwarded: the rest of the connection would pass unread. */
export const isWebSocket = ({ upgrade, connection }: IncomingMessage['headers']): boolean =>
  upgrade?.toLowerCase() === 'websocket' && /(^|,)\s*upgrade\s*(,|$)/i.test(connection ?? '');

const singular = ['host', 'content-length', 'transfer-encoding', 'authorization', 'x-api-key', 'upgrade'];

const invalid = (detail: string) => new Problem('invalid-request', { detail });

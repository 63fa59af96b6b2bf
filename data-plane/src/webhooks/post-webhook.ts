import { Resolver } from 'node:dns/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { isPublicAddress, lookUpPublicWith, PrivateAddress } from './public-addresses.ts';

type Post = {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Also takes http, and addresses that are not public. */
  allowsPrivate: boolean;
  /** For all of it, name resolution and the head of the answer included. */
  timeoutMs: number;
};

/** Within less than the time for an attempt, with the wait for the second try. */
const lookUpPublic = lookUpPublicWith(new Resolver({ timeout: 2000, tries: 2 }));

/**
 * Posts JSON on a connection of its own and resolves with the status of the answer, whose body is not read. Follows no redirect, and connects to no other
 * address than one that was checked.
 * @throws Error if there is no answer in time, or the URL is not allowed
 */
export async function postWebhook({ url: text, headers, body, allowsPrivate, timeoutMs }: Post): Promise<number> {
  const url = new URL(text);
  if (!allowsPrivate) refusePrivate(url);
  const isSecure = url.protocol === 'https:';
  const signal = AbortSignal.timeout(timeoutMs);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = (isSecure ? requestHttps : requestHttp)(url, {
    method: 'POST',
    agent: false,
    maxHeaderSize: 16 * 1024,
    signal,
    headers: {
      ...headers,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'User-Agent': 'holdfast-webhooks',
      Connection: 'close',
    },
    ...(!allowsPrivate && { lookup: lookUpPublic }),
  });
  sent.on('error', (error) => reject(new Error(signal.aborted ? `no answer within ${timeoutMs} ms` : faultOf(error))));
  // An answer that switches protocols is neither a response nor an error.
  sent.on('close', () => reject(new Error(withoutAnswer)));
  sent.on('response', (response) => {
    resolve(response.statusCode ?? 0);
    response.destroy();
  });
  sent.end(body);
  return await promise;
}

/** The words for a delivery, whose reader knows no error codes. */
function faultOf({ code = '', syscall, message, hostname }: NodeJS.ErrnoException & { hostname?: string }): string {
  if (hostname !== undefined && /^(query|getaddrinfo)/.test(syscall ?? '')) {
    const isUnknown = ['ENOTFOUND', 'ENODATA'].includes(code);
    return isUnknown
      ? `no address is known for the host name ${hostname}`
      : `no name server told the address of ${hostname}`;
  }
  if (code === 'ECONNREFUSED') return 'the receiver refuses connections';
  return code === 'ECONNRESET' ? withoutAnswer : message;
}

const withoutAnswer = 'the receiver closed the connection without an answer';

/** A name is not resolved for a host that is an address. The parser of URLs has put every spelling of one in its usual form. */
function refusePrivate({ protocol, hostname }: URL): void {
  if (protocol !== 'https:') throw new Error('only https is allowed');
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new PrivateAddress(host);
}

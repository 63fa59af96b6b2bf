import type { IncomingHttpHeaders } from 'node:http';
import { Problem, portTokenParameter, portWaitHeader, portWaitSchema } from '@holdfast/specs/public';

/** The cookie of a link. With the prefix, browsers accept it only from its own host over TLS (RFC 6265bis, 4.1.3.2). */
export const cookieName = (isSecure: boolean) => (isSecure ? '__Host-holdfast-port' : 'holdfast-port');

/** Another page of the domain could set more cookies of this name. */
const cookiesMax = 4;

export type Credentials = {
  /** The path and query without the token of a link. */
  path: string;
  /** The token in the address, null if there is none. */
  linkToken: string | null;
  /** Tokens in cookies. */
  cookieTokens: string[];
  /** The text in the place of an API key, and the bearer token, which is the same unless the key has a header of its own. */
  key: string | null;
  bearer: string | null;
  waitSeconds: number;
};

/**
 * Reads everything by which a visitor can be admitted. Pure.
 * @throws Problem 400
 */
export function readCredentials(url: string, headers: IncomingHttpHeaders, isSecure: boolean): Credentials {
  const { path, token: linkToken } = takeToken(url);
  const name = cookieName(isSecure);
  const cookieTokens = cookiesIn(headers.cookie)
    .filter((cookie) => cookie.name === name)
    .map(({ value }) => value)
    .slice(0, cookiesMax);
  const given = headers['x-api-key'];
  const bearer = bearerIn(headers.authorization);
  const key = (typeof given === 'string' && given) || bearer;
  return { path, linkToken, cookieTokens, key, bearer, waitSeconds: waitIn(headers[portWaitHeader]) };
}

function takeToken(url: string): { path: string; token: string | null } {
  const at = url.indexOf('?');
  if (at < 0) return { path: url, token: null };
  const isToken = (part: string) => part.startsWith(`${portTokenParameter}=`);
  const parts = url.slice(at + 1).split('&');
  const [found, ...more] = parts.filter(isToken);
  if (found === undefined) return { path: url, token: null };
  if (more.length > 0) throw new Problem('invalid-request', { detail: 'the address has two tokens' });
  const rest = parts.filter((part) => !isToken(part)).join('&');
  return { path: url.slice(0, at) + (rest && `?${rest}`), token: found.slice(portTokenParameter.length + 1) };
}

export const cookiesIn = (header: string | undefined): { name: string; value: string; text: string }[] =>
  (header ?? '').split(';').flatMap((part) => {
    const text = part.trim();
    const at = text.indexOf('=');
    return text === '' ? [] : [{ name: text.slice(0, Math.max(at, 0)).trim(), value: text.slice(at + 1), text }];
  });

export const bearerIn = (authorization: string | undefined): string | null =>
  /^bearer +(\S+)$/i.exec(authorization?.trim() ?? '')?.[1] ?? null;

function waitIn(header: string | string[] | undefined): number {
  if (header === undefined) return 0;
  const parsed = portWaitSchema.safeParse(header);
  if (!parsed.success) throw new Problem('invalid-request', { detail: `${portWaitHeader} is a number from 0 to 60` });
  return parsed.data;
}

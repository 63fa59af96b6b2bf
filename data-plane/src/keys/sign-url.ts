import { timingSafeEqual } from 'node:crypto';
import { Problem } from '@holdfast/specs/public';
import type { Seal } from './seal.ts';

/** The query of a URL that was signed. `expires` is in seconds since 1970. */
export type Signature = { expires?: number | undefined; signature?: string | undefined };

/** The URL with a query that lets anyone read it until `expiresAt`, to the second. */
export function signUrl(seal: Pick<Seal, 'sign'>, url: string, expiresAt: Date): string {
  const expires = Math.floor(expiresAt.getTime() / 1000);
  return `${url}${url.includes('?') ? '&' : '?'}expires=${expires}&signature=${signatureOf(seal, url, expires)}`;
}

/**
 * Accepts the query that `signUrl` made for this very URL.
 * @throws Problem `forbidden` if it was made for another URL or has expired by `now`
 */
export function checkSignature(
  seal: Pick<Seal, 'sign'>,
  { url, expires, signature, now }: Signature & { url: string; now: Date },
): void {
  if (expires === undefined || !isSame(signature ?? '', signatureOf(seal, url, expires))) {
    throw new Problem('forbidden', { detail: 'the signature is not for this URL' });
  }
  if (now.getTime() >= expires * 1000) throw new Problem('forbidden', { detail: 'the signed URL has expired' });
}

const signatureOf = (seal: Pick<Seal, 'sign'>, url: string, expires: number): string =>
  seal.sign(`${url}\n${expires}`).toString('base64url');

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

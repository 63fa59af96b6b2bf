import { apiKeyIdSchema, Problem } from '@holdfast/specs/public';
import type { Seal } from './seal.ts';

/** The query of a URL that was signed. `expires` is in seconds since 1970. `key` is the id of the API key that asked for the URL, if one did. */
export type Signature = { expires?: number | undefined; key?: string | undefined; signature?: string | undefined };

export type SignedFor = { expiresAt: Date; keyId: string | null };

/** The URL with a query that lets anyone read it until `expiresAt`, to the second, or until the API key is revoked. A token of an issuer cannot be. */
export function signUrl(seal: Pick<Seal, 'sign'>, url: string, { expiresAt, keyId }: SignedFor): string {
  const expires = Math.floor(expiresAt.getTime() / 1000);
  const key = apiKeyIdSchema.safeParse(keyId).data;
  const signature = seal.sign(signedText({ url, expires, key })).toString('base64url');
  return `${url}${url.includes('?') ? '&' : '?'}expires=${expires}${key ? `&key=${key}` : ''}&signature=${signature}`;
}

/**
 * Accepts the query that `signUrl` made for this very URL. The caller checks that the key is not revoked.
 * @throws Problem `forbidden` if it was made for another URL or has expired by `now`
 */
export function checkSignature(
  seal: Pick<Seal, 'verify'>,
  { url, expires, key, signature, now }: Signature & { url: string; now: Date },
): void {
  if (expires === undefined || !seal.verify(signedText({ url, expires, key }), signature ?? '')) {
    throw new Problem('forbidden', { detail: 'the signature is not for this URL' });
  }
  if (now.getTime() >= expires * 1000) throw new Problem('forbidden', { detail: 'the signed URL has expired' });
}

/** No URL and no key id contains a line break, so no two requests have the same text. */
const signedText = ({ url, expires, key }: { url: string; expires: number; key: string | undefined }) =>
  [url, expires, ...(key === undefined ? [] : [key])].join('\n');

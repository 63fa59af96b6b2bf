import { faultWords, invalidRequest, Problem } from '@holdfast/specs/public';
import * as z from 'zod';

const sha256Schema = z.base64().length(44);

/**
 * The sha256 that a `Content-Digest` header states (RFC 9530), in hexadecimal digits; undefined without one. Pure.
 * @throws Problem `invalid-request` if it states no sha-256
 */
export function contentDigest(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [, base64] = /(?:^|,) *sha-256=:([^:]*):/.exec(header) ?? [];
  if (base64 === undefined) throw new Problem('invalid-request', { detail: 'Content-Digest needs a sha-256' });
  const parsed = sha256Schema.safeParse(base64, { error: faultWords });
  if (!parsed.success) throw invalidRequest(parsed.error, 'header/content-digest');
  return Buffer.from(parsed.data, 'base64').toString('hex');
}

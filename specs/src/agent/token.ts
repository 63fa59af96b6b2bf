import * as z from 'zod';
import { sessionIdSchema } from '../public/ids.ts';

/** `typ` and `alg` of the per-session token; exactly these are accepted. */
export const tokenType = 'holdfast-agent+jwt';
export const tokenAlgorithm = 'EdDSA';

/** Claims of the token (RFC 7519): `aud` is the sandbox's uid, `sub` the session, times in seconds since 1970. All are required. */
export const tokenClaimsSchema = z.object({
  iss: z.string().min(1),
  aud: z.string().min(1),
  sub: sessionIdSchema,
  epoch: z.number().int().min(1),
  iat: z.number().int(),
  exp: z.number().int(),
  jti: z.string().min(1).max(128),
});
export type TokenClaims = z.infer<typeof tokenClaimsSchema>;

/** Carries the same claims as base64url JSON where agent authentication is bypassed. */
export const unsignedClaimsHeader = 'holdfast-unsigned-claims';

/** What an agent signs to prove that it holds the private key that belongs to its public key. `nonce` is base64url. */
export const proofText = (uid: string, nonce: string) => `holdfast-agent-proof-v1\n${uid}\n${nonce}`;

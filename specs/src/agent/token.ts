import * as z from 'zod';
import { sessionIdSchema } from '../public/values/ids.ts';

/** `typ` and `alg` of the per-session token. An agent accepts no others. */
export const tokenType = 'holdfast-agent+jwt';
export const tokenAlgorithm = 'EdDSA';

/** Claims of the token (RFC 7519), all required: `aud` is the sandbox's uid, `sub` the session; times are in seconds since 1970. */
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

/** If agent authentication is bypassed, this header carries the same claims as JSON in base64url. */
export const unsignedClaimsHeader = 'holdfast-unsigned-claims';

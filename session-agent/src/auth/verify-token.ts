import { type TokenClaims, tokenAlgorithm, tokenClaimsSchema, tokenType } from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';
import { type CryptoKey, errors, importJWK, type JWTHeaderParameters, jwtVerify } from 'jose';
import type { TokenKey } from '../config.ts';

/** How far the data-plane's clock may be ahead or behind. */
export const clockToleranceSeconds = 5;

/**
 * Creates the function that verifies a session's token: signature by a known key, exactly one algorithm and type, all claims. The function
 * rejects with Problem `wrong-sandbox` if a valid token is for another sandbox, else with `unauthenticated`.
 */
export async function createVerifyToken(options: {
  issuer: string;
  sandboxUid: string;
  keys: readonly TokenKey[];
}): Promise<(token: string) => Promise<TokenClaims>> {
  const keys = new Map<string, CryptoKey>();
  for (const jwk of options.keys) keys.set(jwk.kid, (await importJWK(jwk, tokenAlgorithm)) as CryptoKey);

  const keyFor = (header: JWTHeaderParameters) => {
    const key = header.kid === undefined ? undefined : keys.get(header.kid);
    if (!key) throw new errors.JWKSNoMatchingKey();
    return key;
  };

  return async function verifyToken(token) {
    try {
      const { payload } = await jwtVerify(token, keyFor, {
        algorithms: [tokenAlgorithm],
        typ: tokenType,
        issuer: options.issuer,
        audience: options.sandboxUid,
        clockTolerance: clockToleranceSeconds,
        requiredClaims: Object.keys(tokenClaimsSchema.shape),
      });
      return tokenClaimsSchema.parse(payload);
    } catch (error) {
      throw refusal(error);
    }
  };
}

function refusal(error: unknown): Problem {
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud' && error.reason === 'check_failed') {
    return new Problem('wrong-sandbox', { detail: 'the token is for another sandbox', cause: error });
  }
  const detail = error instanceof errors.JWTExpired ? 'the token has expired' : 'the token is not valid';
  return new Problem('unauthenticated', { detail, cause: error });
}

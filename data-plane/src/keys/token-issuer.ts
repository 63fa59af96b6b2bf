import { Problem } from '@holdfast/specs/public';
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { createIssuerKeys } from './issuer-keys.ts';

type TokenIssuerInput = Parameters<typeof createIssuerKeys>[0] & { audiences: readonly string[] };

export type TokenIssuer = ReturnType<typeof createTokenIssuer>;

/** The claims of a token that is valid. */
export type Claims = JWTPayload & { sub: string; exp: number };

/** With a public key as the secret of an HMAC anyone could make tokens, so only signatures of key pairs are taken. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

const lengthMax = 16_384;
/** The clocks of the issuer and of this machine may differ by so much. */
export const clockToleranceSeconds = 10;

/** Whether a text in the place of an API key has the form of a signed JWT (RFC 7515, 3.1). No API key of ours has dots. Pure. */
export const isJwt = (text: string): boolean => /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/.test(text);

/** Checks the tokens of an issuer. */
export function createTokenIssuer({ issuer, audiences, ...keysOf }: TokenIssuerInput) {
  const keys = createIssuerKeys({ issuer, ...keysOf });
  return {
    /** Checks signature, issuer, audience and times. Throws Problem 401, or 503 if the issuer's keys cannot be fetched. */
    async verify(token: string): Promise<Claims> {
      if (token.length > lengthMax) {
        throw new Problem('unauthenticated', { detail: `the token has more than ${lengthMax} characters` });
      }
      try {
        // Before any key is asked for: visitors of ports have tokens of other issuers.
        if (decodeJwt(token).iss !== issuer) throw new errors.JWTInvalid('it is of another issuer');
        const { payload } = await jwtVerify<Claims>(token, keys.find, {
          issuer,
          audience: [...audiences],
          algorithms,
          clockTolerance: clockToleranceSeconds,
          requiredClaims: ['exp', 'sub'],
        });
        return payload;
      } catch (error) {
        if (!(error instanceof errors.JOSEError)) throw error;
        throw new Problem('unauthenticated', { detail: `the token is not valid: ${error.message}`, cause: error });
      }
    },
  };
}

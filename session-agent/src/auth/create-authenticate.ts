import type { IncomingHttpHeaders } from 'node:http';
import { type TokenClaims, unsignedClaimsHeader } from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';
import type { Config } from '../config.ts';
import type { Binding } from './create-binding.ts';
import { isExpired, readUnsignedClaims } from './read-unsigned-claims.ts';
import { rememberTokens } from './remember-tokens.ts';
import { createVerifyToken } from './verify-token.ts';

/** Admits a request by its headers. @throws Problem `unauthenticated`, or `wrong-sandbox` for valid claims of another session */
export type Authenticate = (headers: IncomingHttpHeaders) => void | Promise<void>;

export async function createAuthenticate(deps: {
  config: Pick<Config, 'auth' | 'sandboxUid'>;
  binding: Pick<Binding, 'admit'>;
}): Promise<Authenticate> {
  const { auth, sandboxUid } = deps.config;
  const { issuer, keys } = auth;

  if (auth.bypassed) {
    return function admitUnsigned(headers) {
      const claims = headers[unsignedClaimsHeader];
      if (typeof claims === 'string') deps.binding.admit(readUnsignedClaims({ issuer, sandboxUid }, claims));
    };
  }

  const verifyToken = await createVerifyToken({ issuer: issuer ?? '', sandboxUid, keys });
  const verify = rememberTokens((authorization) => verifyToken(bearer(authorization)), isExpired);
  return function admitToken({ authorization = '' }) {
    const claims: TokenClaims | Promise<TokenClaims> = verify(authorization);
    return claims instanceof Promise ? claims.then(deps.binding.admit) : deps.binding.admit(claims);
  };
}

function bearer(authorization: string): string {
  const [, token] = /^Bearer ([\w.-]+)$/i.exec(authorization) ?? [];
  if (!token) throw new Problem('unauthenticated', { detail: "the session's token is required" });
  return token;
}

import { randomUUID } from 'node:crypto';
import { type TokenClaims, tokenAlgorithm, tokenType } from '@holdfast/specs/agent';
import { SignJWT } from 'jose';
import type { SigningKey } from './signing-keys.ts';

/** Five minutes: a stolen token is of little use, and one refresh every two and a half costs nothing. */
const lifeSeconds = 300;

export type TokenSubject = { sessionId: string; sandboxUid: string; epoch: number };
export type AgentToken = { token: string; expiresAt: Date };

/** Mints a token that a session's agent accepts if it knows the key. `nowMs` is milliseconds since 1970. */
export async function mintToken(
  { issuer, key }: { issuer: string; key: SigningKey },
  subject: TokenSubject,
  nowMs: number,
): Promise<AgentToken> {
  const claims = agentClaims(issuer, subject, nowMs);
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: tokenAlgorithm, typ: tokenType, kid: key.kid })
    .sign(key.privateKey);
  return { token, expiresAt: new Date(claims.exp * 1000) };
}

/** Whether a token of this expiry is past half its life. */
export const isPastHalfLife = (expiresAt: Date, nowMs: number) => expiresAt.getTime() - nowMs < lifeSeconds * 500;

/** The claims alone, as they are sent unsigned if agent authentication is bypassed. */
export function agentClaims(
  issuer: string,
  { sessionId, sandboxUid, epoch }: TokenSubject,
  nowMs: number,
): TokenClaims {
  const iat = Math.floor(nowMs / 1000);
  return { iss: issuer, aud: sandboxUid, sub: sessionId, epoch, iat, exp: iat + lifeSeconds, jti: randomUUID() };
}

import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type TokenClaims, tokenAlgorithm, tokenType } from '@holdfast/specs/agent';
import { newId } from '@holdfast/specs/public';

/** A signing key and its public half in the form that agents get. */
export type SigningKey = { kid: string; privateKey: KeyObject; jwk: Record<string, string> };

export function createSigningKey(kid: string): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    kid,
    privateKey,
    jwk: { kty: 'OKP', crv: 'Ed25519', x: String(publicKey.export({ format: 'jwk' }).x), kid },
  };
}

export type Claims = { [Name in keyof TokenClaims]?: unknown };
type Kind = { header?: Record<string, unknown>; sign?: (text: string) => Buffer };

/** Builds a JWT (RFC 7519) by hand, so that any part can be wrong. Omits undefined claims and header members. */
export function mintToken(key: SigningKey, claims: Claims, kind: Kind = {}): string {
  const header = { alg: tokenAlgorithm, typ: tokenType, kid: key.kid, ...kind.header };
  const text = `${encode(header)}.${encode(claims)}`;
  const signature = kind.sign ? kind.sign(text) : sign(null, Buffer.from(text), key.privateKey);
  return `${text}.${signature.toString('base64url')}`;
}

/** The claims of a data-plane, valid for `seconds` from now. */
export function claimsFor(sandbox: { uid: string; sessionId: string; epoch?: number }, seconds = 300): TokenClaims {
  const iat = Math.floor(Date.now() / 1000);
  const { uid: aud, sessionId: sub, epoch = 1 } = sandbox;
  return { iss: 'holdfast-test', aud, sub, epoch, iat, exp: iat + seconds, jti: newId('key') };
}

/** The attack that uses the public bytes of an asymmetric key as an HMAC secret. */
export const signedWithPublicKey = (key: SigningKey) => (text: string) =>
  createHmac('sha256', Buffer.from(String(key.jwk.x), 'base64url'))
    .update(text)
    .digest();

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

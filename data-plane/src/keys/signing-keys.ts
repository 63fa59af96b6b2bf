import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose';

/** The deployment's Ed25519 keys. Agents learn `publicKeys` (current and next), so a rotation needs no restart of sandboxes. */
export type SigningKeys = {
  current: { kid: string; privateKey: KeyObject };
  publicKeys: { keys: JWK[] };
};

/** @param pems PKCS#8, current first, then the next one if a rotation is under way. Throws if one is not Ed25519. */
export async function signingKeys(pems: readonly string[]): Promise<SigningKeys> {
  const pairs = await Promise.all(pems.map(importPair));
  const current = pairs[0];
  if (!current) throw new Error('no signing key was given');
  return {
    current: { kid: current.kid, privateKey: current.privateKey },
    publicKeys: { keys: pairs.map((pair) => pair.publicJwk) },
  };
}

/** A new private key as PKCS#8 PEM. */
export function newSigningKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

async function importPair(pem: string) {
  const privateKey = createPrivateKey(
    pem.includes('BEGIN') ? pem : { key: Buffer.from(pem, 'base64'), format: 'der', type: 'pkcs8' },
  );
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('a signing key must be Ed25519');
  const jwk = await exportJWK(createPublicKey(privateKey));
  const kid = await calculateJwkThumbprint(jwk);
  return { kid, privateKey, publicJwk: { ...jwk, kid, alg: 'EdDSA', use: 'sig' } };
}

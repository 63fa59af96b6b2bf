import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose';

/**
 * The deployment's Ed25519 keys. Agents learn `publicKeys`, so a rotation needs no restart of sandboxes: an agent that started before the
 * rotation knows only the previous key, and is sent tokens under that.
 */
export type SigningKeys = {
  current: SigningKey;
  previous: SigningKey | null;
  publicKeys: { keys: JWK[] };
};

export type SigningKey = { kid: string; privateKey: KeyObject };

/** @param pems PKCS#8; the next and the previous key only during a rotation. Throws if one is not Ed25519. */
export async function signingKeys(pems: { current: string; next?: string; previous?: string }): Promise<SigningKeys> {
  const current = await importPair(pems.current);
  const [next = null, previous = null] = await Promise.all(
    [pems.next, pems.previous].map((pem) => (pem === undefined ? null : importPair(pem))),
  );
  const publicKeys = [current, next, previous].flatMap((pair) => (pair ? [pair.publicJwk] : []));
  return { current, previous, publicKeys: { keys: publicKeys } };
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

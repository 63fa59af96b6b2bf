import { generateKeyPairSync, sign } from 'node:crypto';
import { type Proof, proofText } from '@holdfast/specs/agent';

/** Proves to a data-plane that it talks to this agent and not to another one that got the same address later. */
export type Identity = { prove(nonce: string): Proof };

/** Makes a fresh Ed25519 key pair (RFC 8032); the private key never leaves this process's memory. */
export function createIdentity(uid: string): Identity {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });

  return {
    prove: (nonce) => ({
      uid,
      publicKey: String(x),
      signature: sign(null, Buffer.from(proofText(uid, nonce)), privateKey).toString('base64url'),
    }),
  };
}

import { createHmac, hkdfSync } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';

/** Keeps a text secret at rest. */
export type Seal = {
  /** The text as a compact JWE (RFC 7516: `dir`, `A256GCM`). */
  close(text: string): Promise<string>;
  /** Throws if the JWE was changed or made under another key. */
  open(jwe: string): Promise<string>;
  /** The same text always gives the same fingerprint. Without the key, it does not help to guess the text (HMAC-SHA-256). */
  fingerprint(text: string): Buffer;
  /** A signature that can be made only with the key (HMAC-SHA-256, under another key than the fingerprint). */
  sign(text: string): Buffer;
};

/** @param key 32 bytes */
export function createSeal(key: Uint8Array): Seal {
  if (key.length !== 32) throw new Error(`the encryption key has ${key.length} bytes, not 32`);
  const derived = (purpose: string) => Buffer.from(hkdfSync('sha256', key, '', purpose, 32));
  const fingerprintKey = derived('fingerprint');
  const signatureKey = derived('signature');
  return {
    close: (text) =>
      new CompactEncrypt(Buffer.from(text)).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(key),
    open: async (jwe) => {
      const { plaintext } = await compactDecrypt(jwe, key, {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      });
      return Buffer.from(plaintext).toString();
    },
    fingerprint: (text) => createHmac('sha256', fingerprintKey).update(text).digest(),
    sign: (text) => createHmac('sha256', signatureKey).update(text).digest(),
  };
}

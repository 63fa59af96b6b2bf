import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';

/** Keeps a text secret at rest. */
export type Seal = {
  /** The text as a compact JWE (RFC 7516: `dir`, `A256GCM`). */
  close(text: string): Promise<string>;
  /** Throws if the JWE was changed or made under a key that is not known. */
  open(jwe: string): Promise<string>;
  /** The same text always gives the same fingerprint. Without the key, it does not help to guess the text (HMAC-SHA-256). */
  fingerprint(text: string): Buffer;
  /** A signature that can be made only with the key (HMAC-SHA-256, under another key than the fingerprint). */
  sign(text: string): Buffer;
  /** Whether `sign` made this signature, in base64url, under any of the known keys. */
  verify(text: string, signature: string): boolean;
};

/** 32 bytes each. */
type SealKeys = {
  /** Closes and signs. */
  current: Uint8Array;
  /** The next and the previous key during a rotation: they open and verify. */
  others?: readonly Uint8Array[];
  /** Has to outlive a rotation, so that a repeated request is recognised. By default it is derived from the current key. */
  fingerprint?: Uint8Array;
};

export function createSeal({ current, others = [], fingerprint = fingerprintKey(current) }: SealKeys): Seal {
  const keys = [current, ...others];
  for (const key of keys) if (key.length !== 32) throw new Error(`an encryption key has ${key.length} bytes, not 32`);
  const signatureKeys = keys.map((key) => derived(key, 'signature'));
  const signed = (key: Uint8Array, text: string) => createHmac('sha256', key).update(text).digest();
  return {
    close: (text) =>
      new CompactEncrypt(Buffer.from(text)).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(current),
    open: (jwe) => Promise.any(keys.map((key) => openWith(key, jwe))),
    fingerprint: (text) => signed(fingerprint, text),
    sign: (text) => signed(signatureKeys[0] as Buffer, text),
    verify: (text, signature) =>
      signatureKeys.some((key) => isSame(signature, signed(key, text).toString('base64url'))),
  };
}

/** The key of fingerprints of a deployment that has not changed its encryption key. */
export const fingerprintKey = (key: Uint8Array): Buffer => derived(key, 'fingerprint');

const derived = (key: Uint8Array, purpose: string) => Buffer.from(hkdfSync('sha256', key, '', purpose, 32));

async function openWith(key: Uint8Array, jwe: string): Promise<string> {
  const { plaintext } = await compactDecrypt(jwe, key, {
    keyManagementAlgorithms: ['dir'],
    contentEncryptionAlgorithms: ['A256GCM'],
  });
  return Buffer.from(plaintext).toString();
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

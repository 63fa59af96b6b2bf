import { type Config, ConfigError } from '../../config/parse-config.ts';
import type { Secret } from '../../config/secret.ts';
import { createSeal, fingerprintKey, type Seal } from '../../keys/seal.ts';
import { type SigningKeys, signingKeys } from '../../keys/signing-keys.ts';
import type { Database } from '../../registry/connect.ts';
import { replaceSealedKey, storeSealedKey } from '../../registry/sealed-keys/store-sealed-key.ts';
import { developmentKeys, fileKeyStore, registryKeyStore } from './development-keys.ts';

export type Keys = {
  /** Null if agent authentication is bypassed. */
  signing: SigningKeys | null;
  seal: Seal;
  /** Signs snapshots for other deployments; null if the operator has set no key. */
  transferSeal: Pick<Seal, 'sign' | 'verify'> | null;
};

/**
 * The configured keys. Development creates those that are required.
 * @throws ConfigError
 */
export async function loadKeys(config: Config, db: Database): Promise<Keys> {
  const { signing, nextSigning, previousSigning, encryption, nextEncryption, previousEncryption } = config.keys;
  // Replicas on Kubernetes have no directory in common.
  const store = config.runtime === 'kubernetes' ? registryKeyStore(db) : fileKeyStore(config.dataDir);
  const made = config.env === 'development' ? await developmentKeys(store) : null;
  const sealKey = encryption ?? made?.encryption;
  const signingKey = signing ?? made?.signing;
  if (!sealKey) throw new ConfigError(['HOLDFAST_ENCRYPTION_KEY is required']);
  const [current = Buffer.alloc(0), ...others] = bytesOf([sealKey, nextEncryption, previousEncryption]);
  const seal = createSeal({ current, others, fingerprint: await findFingerprintKey(db, { current, others }) });
  const transferSeal = transferSealOf(config.keys);
  if (config.agent.insecureSkipAuth) return { seal, transferSeal, signing: null };
  if (!signingKey) throw new ConfigError(['HOLDFAST_SIGNING_KEY is required']);
  const pems = {
    current: signingKey.reveal(),
    ...(nextSigning && { next: nextSigning.reveal() }),
    ...(previousSigning && { previous: previousSigning.reveal() }),
  };
  return { seal, transferSeal, signing: await signingKeys(pems) };
}

function transferSealOf({ transfer, nextTransfer, previousTransfer }: Config['keys']): Keys['transferSeal'] {
  const [current, ...others] = bytesOf([transfer, nextTransfer, previousTransfer]);
  return current ? createSeal({ current, others }) : null;
}

const bytesOf = (keys: readonly (Secret | null)[]): Buffer[] =>
  keys.flatMap((key) => (key ? [Buffer.from(key.reveal(), 'base64')] : []));

type EncryptionKeys = { current: Buffer; others: readonly Buffer[] };

const name = 'fingerprint';

/**
 * The key of fingerprints. It is made at the first start from the encryption key, and stored sealed, so that a repeated request is still
 * recognised after a rotation. If it cannot be opened, because the encryption key was replaced without a rotation, another one is made.
 */
async function findFingerprintKey(db: Database, { current, others }: EncryptionKeys): Promise<Buffer> {
  const own = fingerprintKey(current);
  const underCurrent = createSeal({ current });
  const value = await underCurrent.close(own.toString('base64'));
  const stored = await storeSealedKey(db, { name, value });
  const opened = await underCurrent.open(stored).catch(() => null);
  if (opened !== null) return Buffer.from(opened, 'base64');
  const key = await createSeal({ current, others })
    .open(stored)
    .then((text) => Buffer.from(text, 'base64'))
    .catch(() => own);
  const resealed = await underCurrent.close(key.toString('base64'));
  await replaceSealedKey(db, { name, previous: stored, value: resealed });
  return key;
}

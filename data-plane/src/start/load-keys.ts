import { type Config, ConfigError } from '../config/parse-config.ts';
import { createSeal, type Seal } from '../keys/seal.ts';
import { type SigningKeys, signingKeys } from '../keys/signing-keys.ts';
import type { Database } from '../registry/connect.ts';
import { developmentKeys, fileKeyStore, registryKeyStore } from './development-keys.ts';

/**
 * The configured keys. Development creates the missing ones. `signing` is null if agent authentication is bypassed.
 * @throws ConfigError
 */
export async function loadKeys(config: Config, db: Database): Promise<{ signing: SigningKeys | null; seal: Seal }> {
  const { signing, nextSigning, encryption } = config.keys;
  // Replicas on Kubernetes have no directory in common.
  const store = config.runtime === 'kubernetes' ? registryKeyStore(db) : fileKeyStore(config.dataDir);
  const made = config.env === 'development' ? await developmentKeys(store) : null;
  const sealKey = encryption ?? made?.encryption;
  const signingKey = signing ?? made?.signing;
  if (!sealKey) throw new ConfigError(['HOLDFAST_ENCRYPTION_KEY is required']);
  const seal = createSeal(Buffer.from(sealKey.reveal(), 'base64'));
  if (config.agent.insecureSkipAuth) return { seal, signing: null };
  if (!signingKey) throw new ConfigError(['HOLDFAST_SIGNING_KEY is required']);
  const pems = [signingKey, ...(nextSigning ? [nextSigning] : [])].map((key) => key.reveal());
  return { seal, signing: await signingKeys(pems) };
}

import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const iterations = 4096;
const keyBytes = 32;

/**
 * Makes the verifier that Postgres stores for a password (RFC 5802 and 7677; `pg_authid.rolpassword`). Sent in place of the password, it keeps the password
 * out of the server's log, and cannot be used to log in. Pure but for the salt.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  // SASLprep (RFC 4013), as far as Unicode's own normalization does it.
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, keyBytes, 'sha256');
  const keyed = (name: string) => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${keyed('Server Key').toString('base64')}`;
}

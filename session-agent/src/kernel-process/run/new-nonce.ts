import { randomFillSync } from 'node:crypto';

const nonceBytes = 16;

/** Random bytes for many nonces: getting sixteen costs as much as getting a thousand. None is used twice. */
const random = Buffer.allocUnsafeSlow(64 * nonceBytes);
let randomAt = random.length;

/** Returns 32 hexadecimal digits that no program can guess. */
export function newNonce(): string {
  if (randomAt === random.length) {
    randomFillSync(random);
    randomAt = 0;
  }
  randomAt += nonceBytes;
  return random.toString('hex', randomAt - nonceBytes, randomAt);
}

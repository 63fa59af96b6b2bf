import { createHash } from 'node:crypto';

/** By which a call that runs again is known: SHA-256 of its arguments as JSON, in hexadecimal digits. */
export const argumentsDigest = (text: string): string => createHash('sha256').update(text).digest('hex');

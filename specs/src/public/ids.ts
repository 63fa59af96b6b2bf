import { createHash, randomFillSync } from 'node:crypto';
import * as z from 'zod';
import { languageSchema } from './languages.ts';

/** Ids are a prefix and 26 characters of Crockford's base 32 (128 bits): safe in URLs, file names and pod names. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const body = '[0-9a-hjkmnp-tv-z]{26}';

const id = (prefix: string, example: string) =>
  z.string().regex(new RegExp(`^${prefix}_${body}$`), `must be an id such as ${prefix}_${example}`);

const example = '01kaf3xq5t7e8m9n0p1r2s3t4v';
export const sessionIdSchema = id('ses', example);
export const jobIdSchema = id('job', example);
/** A job is a step that runs in a process of its own: it has an id of its own kind, and stands in the history with the others. */
export const stepIdSchema = z.string().regex(new RegExp(`^(stp|job)_${body}$`), `must be an id such as stp_${example}`);
export const artifactIdSchema = id('art', example);
export const apiKeyIdSchema = id('key', example);

/** A context made by a client, or the default context of a language, whose id is the language's name. */
export const contextIdSchema = z
  .string()
  .regex(
    new RegExp(`^(${languageSchema.options.join('|')}|ctx_${body})$`),
    `must be ${languageSchema.options.join(', ')} or an id such as ctx_${example}`,
  );

type Prefix = 'ses' | 'stp' | 'job' | 'ctx' | 'key' | 'rep' | 'uid' | 'warm' | 'obj';

/** A new id: 48 bits of milliseconds, so that ids sort by age, then 80 random bits. `now` is in ms since 1970. */
export function newId(prefix: Prefix, now: number = Date.now()): string {
  if (randomAt + 10 > random.length) randomAt = 0;
  if (randomAt === 0) randomFillSync(random);
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeUIntBE(now, 0, 6);
  random.copy(bytes, 6, randomAt, randomAt + 10);
  randomAt += 10;
  return `${prefix}_${base32(bytes)}`;
}

/** Filled for many ids at once: asking for ten bytes costs as much as asking for thousands. */
const random = Buffer.alloc(4000);
let randomAt = 0;

/** The step id that belongs to an `Idempotency-Key` of a session, so that a repeat names the same step. */
export const stepIdForKey = (sessionId: string, idempotencyKey: string): string =>
  derivedId('stp', [sessionId, idempotencyKey]);

/** The job id that belongs to an `Idempotency-Key` of a session. */
export const jobIdForKey = (sessionId: string, idempotencyKey: string): string =>
  derivedId('job', [sessionId, idempotencyKey]);

/** The id of what a step did to one path, so that whoever records it again writes the same row. */
export const artifactIdFor = (stepId: string, role: string, path: string): string =>
  derivedId('art', [stepId, role, path]);

function derivedId(prefix: 'stp' | 'job' | 'art', from: readonly string[]): string {
  const digest = createHash('sha256').update(from.join('\n')).digest();
  return `${prefix}_${base32(digest.subarray(0, 16))}`;
}

/** 16 bytes as 26 characters of five bits each, the first one of three. */
function base32(bytes: Uint8Array): string {
  let out = '';
  let bits = 0;
  let held = 2;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    held += 8;
    while (held >= 5) {
      held -= 5;
      out += alphabet[(bits >> held) & 31];
    }
    bits &= 0xff;
  }
  return out;
}

import { createHash, randomFillSync } from 'node:crypto';
import * as z from 'zod';
import { languagePattern } from './languages.ts';

/** An id is a prefix and 26 characters of Crockford's base 32 (128 bits). It is safe in URLs, file names and pod names. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const body = '[0-9a-hjkmnp-tv-z]{26}';

const id = (prefix: string, example: string) =>
  z.string().regex(new RegExp(`^${prefix}_${body}$`), `must be an id such as ${prefix}_${example}`);

const example = '01kaf3xq5t7e8m9n0p1r2s3t4v';
export const sessionIdSchema = id('ses', example);
export const jobIdSchema = id('job', example);
/** The id of a step or a job: a job is a step that runs in its own process, and the history lists it among the steps. */
const stepId = new RegExp(`^(stp|job)_${body}$`);
export const stepIdSchema = z.string().regex(stepId, `must be an id such as stp_${example}`);
/** The same check without the machinery of a schema. */
export const isStepId = (value: unknown): value is string => typeof value === 'string' && stepId.test(value);
export const artifactIdSchema = id('art', example);
export const apiKeyIdSchema = id('key', example);
export const shareIdSchema = id('shr', example);
export const portIdSchema = id('prt', example);
export const snapshotIdSchema = id('snp', example);
export const processIdSchema = id('prc', example);
export const proposalIdSchema = id('prp', example);
export const mcpSessionIdSchema = id('mcp', example);
export const operationIdSchema = id('op', example);
/** A tenant's name for a snapshot. It has no underscore, so it is never an id. */
export const snapshotNameSchema = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/,
    'must be 1 to 63 of a-z 0-9 . -, with a letter or digit first and last',
  );

/** The default context of a language has the language's name as its id. Other contexts are created by clients. */
const contextId = new RegExp(`^(${languagePattern}|ctx_${body})$`);
export const contextIdSchema = z.string().regex(contextId, `must be a language or an id such as ctx_${example}`);
/** The same check without the machinery of a schema. */
export const isContextId = (value: unknown): value is string => typeof value === 'string' && contextId.test(value);

type Prefix =
  | 'ses'
  | 'stp'
  | 'job'
  | 'ctx'
  | 'key'
  | 'rep'
  | 'uid'
  | 'warm'
  | 'obj'
  | 'snp'
  | 'bud'
  | 'shr'
  | 'prt'
  | 'prc'
  | 'prp'
  | 'op'
  | 'whk'
  | 'mcp';

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

/** Random bytes for many ids: getting ten bytes costs as much as getting thousands. */
const random = Buffer.alloc(4000);
let randomAt = 0;

/** The step id for an `Idempotency-Key` of a session. A repeated request gets the same id. */
export const stepIdForKey = (sessionId: string, idempotencyKey: string): string =>
  derivedId('stp', [sessionId, idempotencyKey]);

/** The job id for an `Idempotency-Key` of a session. */
export const jobIdForKey = (sessionId: string, idempotencyKey: string): string =>
  derivedId('job', [sessionId, idempotencyKey]);

/** The process id for an `Idempotency-Key` of a session. */
export const processIdForKey = (sessionId: string, idempotencyKey: string): string =>
  derivedId('prc', [sessionId, idempotencyKey]);

/** The id of the artifact for one path of a step. Recording the artifact again writes the same row. */
export const artifactIdFor = (stepId: string, role: string, path: string): string =>
  derivedId('art', [stepId, role, path]);

/** The id of the proposal that a step makes. */
export const proposalIdFor = (stepId: string): string => derivedId('prp', [stepId]);

/** The id of the operation that a step calls as its call number `call`. A repeated frame gets the same id. */
export const operationIdFor = (stepId: string, call: number): string => derivedId('op', [stepId, `${call}`]);

/** The id of a step that such a call runs, the `index`th of them. */
export const subStepId = (operationId: string, index: number): string => derivedId('stp', [operationId, `${index}`]);

/** The id of the delivery of one end to a webhook. All attempts have it. */
export const deliveryIdFor = (webhookId: string, event: string, subjectId: string): string =>
  derivedId('whd', [webhookId, event, subjectId]);

/** The ids of the forks that one request makes. A repeated request gets the same ids. */
export const forkIds = (firstId: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => (index === 0 ? firstId : derivedId('ses', [firstId, `${index}`])));

type DerivedPrefix = 'stp' | 'job' | 'prc' | 'art' | 'ses' | 'prp' | 'op' | 'whd';

function derivedId(prefix: DerivedPrefix, from: readonly string[]): string {
  const digest = createHash('sha256').update(from.join('\n')).digest();
  return `${prefix}_${base32(digest.subarray(0, 16))}`;
}

/** 16 bytes as 26 characters: the first one holds three bits, the others five each. */
function base32(bytes: Uint8Array): string {
  let out = '';
  let bits = 0;
  let pending = 2;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    pending += 8;
    while (pending >= 5) {
      pending -= 5;
      out += alphabet[(bits >> pending) & 31];
    }
    bits &= 0xff;
  }
  return out;
}

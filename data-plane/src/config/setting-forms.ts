import { createPrivateKey } from 'node:crypto';
import { resolve } from 'node:path';
import { budgetLimitsSchema, policyRequestSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { parseDatabaseUrl } from '../registry/connections/parse-database-url.ts';
import { parseEngineAddress } from '../runtimes/container/engine/engine-address.ts';
import { parseSubnet } from '../runtimes/container/engine/subnets.ts';
import { Secret } from './secret.ts';

/** A whole number of at least `min` and at most `max`. */
export const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

export const flag = z.enum(['true', 'false'], 'must be true or false').transform((value) => value === 'true');

/** An Ed25519 private key: PKCS8 as PEM, or that in base64 for places that take one line only. */
export const signingKey = z.string().transform((value, context) => {
  const pem = value.includes('-----BEGIN') ? value : Buffer.from(value, 'base64').toString();
  try {
    if (createPrivateKey(pem).asymmetricKeyType === 'ed25519') return new Secret(pem);
  } catch {
    // The cause could quote the key.
  }
  context.addIssue('must be an Ed25519 private key, as PKCS8 PEM or base64 of that');
  return z.NEVER;
});

export const encryptionKey = z
  .string()
  .refine((value) => /^[A-Za-z0-9+/]{43}=$/.test(value), 'must be 32 bytes in base64')
  .refine(
    (value) => new Set(Buffer.from(value, 'base64')).size >= 16,
    'must be random: openssl rand -base64 32 makes one',
  )
  .transform((value) => new Secret(value));

export const databaseUrl = z.string().transform((value, context) => {
  try {
    parseDatabaseUrl(value);
    return new Secret(value);
  } catch (error) {
    context.addIssue((error as Error).message);
    return z.NEVER;
  }
});

/** A directory outside of the kernel's own file systems: none can be made there, and in `/proc` Node tries for ever. */
export const dataDir = z
  .string()
  .refine(
    (value) => !/^\/(proc|sys|dev(?!\/shm\/))(\/|$)/.test(resolve(value)),
    'must not be in /proc, /sys or /dev (but /dev/shm)',
  );

export const dnsLabel = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be 1 to 63 of a-z 0-9 -, neither first nor last a -');

/** The largest user id that the kernel and Kubernetes accept. */
const uidMax = 2 ** 31 - 2;

export const uidRange = z
  .string()
  .regex(/^\d{4,10}-\d{4,10}$/, 'must be two user ids of 1000 or more, such as 1000000-2000000000')
  .transform((value) => {
    const [first = 0, last = 0] = value.split('-').map(Number);
    return { first, last };
  })
  .refine(
    ({ first, last }) => first >= 1000 && last <= uidMax && last - first >= 9999,
    `must span at least 10000 user ids between 1000 and ${uidMax}`,
  );

export const engineAddress = z.string().transform((value, context) => {
  const address = parseEngineAddress(value);
  if (address) return address;
  context.addIssue('must be unix:///path or tcp://host:port, an engine whose containers this machine reaches');
  return z.NEVER;
});

export const subnet = z.string().transform((value, context) => {
  const parsed = parseSubnet(value);
  if (parsed) return parsed;
  context.addIssue('must be an IPv4 network with a prefix of 8 to 28, such as 10.213.0.0/16');
  return z.NEVER;
});

/** A preset's name, or rules as JSON. */
export const policy = z
  .string()
  .transform((value, context) => {
    if (!value.startsWith('{')) return value;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      context.addIssue('must be the name of a preset or a JSON object');
      return z.NEVER;
    }
  })
  .pipe(policyRequestSchema);

/** Limits as the API takes them. */
export const budgetLimits = z.string().transform((value, context) => {
  try {
    const limits = budgetLimitsSchema.safeParse(JSON.parse(value));
    if (limits.success) return limits.data;
  } catch {}
  context.addIssue('must be JSON such as {"iterations":100,"timeSeconds":600,"tokens":100000,"cost":"5.00"}');
  return z.NEVER;
});

/** A number of bytes: an S3 object has at most ten thousand parts. */
export const fileBytes = whole(1, 2 ** 36);

/** A URL without a name, a password, a query or a fragment, which an S3 client would not send. */
export const httpUrl = z.string().refine((value) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  return !!url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
}, 'must be a URL that begins with http:// or https://');

const isOrigin = (text: string) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

export const origin = z
  .string()
  .refine(isOrigin, 'must be an origin such as https://holdfast.example.com, without a path');

export const claimName = z.string().regex(/^[\x21-\x7e]{1,256}$/, 'must be 1 to 256 visible ASCII characters');

/** One or several with commas between them. */
export const audiences = z
  .string()
  .regex(/^[!-+\--~]+(, *[!-+\--~]+)*$/, 'must be visible ASCII characters, with commas between several')
  .transform((value) => value.split(/, */));

/** A browser sends exactly this form. `*` would let any page ask, and `null` any page in a frame. */
export const origins = z.string().transform((value, context): ReadonlySet<string> => {
  const all = value.split(',').map((origin) => origin.trim());
  if (value === '') return new Set();
  if (all.every(isOrigin)) return new Set(all);
  context.addIssue('must be origins such as https://app.example.com, without a path, separated by commas');
  return z.NEVER;
});

const domainName = /^(?=.{1,200}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Only a browser's own machine is reached without TLS. */
export const previewDomain = z.string().transform((value, context) => {
  const [name = '', port, ...more] = value.split(':');
  const isPort = port === undefined || (/^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535);
  if (value === 'none') return null;
  if (domainName.test(name) && isPort && more.length === 0)
    return { name, port: port === undefined ? null : Number(port), isSecure: !/(^|\.)localhost$/.test(name) };
  context.addIssue('must be a domain such as preview.example.com or preview.example.com:8443, or none');
  return z.NEVER;
});

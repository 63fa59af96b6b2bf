import * as z from 'zod';
import { rejectProtoKey, text } from './storable.ts';

export const metadataKey = z.string().regex(/^[A-Za-z0-9._/-]{1,64}$/, 'must be 1 to 64 of A-Z a-z 0-9 . _ / -');

export const metadataEntriesMax = 64;

export const metadataSchema = rejectProtoKey(
  z
    .record(metadataKey, text(1024))
    .refine((metadata) => Object.keys(metadata).length <= metadataEntriesMax, 'must have at most 64 entries'),
);

/** A week, in seconds. */
export const lifeSecondsMax = 604_800;
export const lifeSeconds = z.number().int().min(1).max(lifeSecondsMax);

/** A client's own name for a session, unique among the living sessions of a tenant. */
export const clientKeySchema = text(255).min(1);

export const networkSchema = z.enum(['none', 'internet']);
export type Network = z.infer<typeof networkSchema>;

/** A name from the operator's list; a DNS label. */
export const profileNameSchema = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be 1 to 63 of a-z 0-9 -, and must not begin or end with -');

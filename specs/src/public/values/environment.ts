import * as z from 'zod';
import { rejectProtoKey, text } from './storable.ts';

/** Environment variables of a kernel: POSIX names, at most 128 variables and 64 KiB in all. The prefix `HOLDFAST_` is reserved. */
export const environmentSchema = rejectProtoKey(
  z
    .record(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be a POSIX variable name')
        .refine((name) => !name.startsWith('HOLDFAST_'), 'must not begin with HOLDFAST_'),
      text(32_768),
    )
    .refine((env) => Object.keys(env).length <= 128, 'must have at most 128 entries')
    .refine((env) => Buffer.byteLength(Object.entries(env).join()) <= 65_536, 'must be at most 64 KiB in all'),
);

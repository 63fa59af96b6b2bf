import * as z from 'zod';
import { refuseProto } from './refuse-proto.ts';
import { text } from './text.ts';

/** Environment variables for kernels: POSIX names, at most 128 of them and 64 KiB together. `HOLDFAST_` is ours. */
export const environmentSchema = refuseProto(
  z
    .record(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be a POSIX variable name')
        .refine((name) => !name.startsWith('HOLDFAST_'), 'must not begin with HOLDFAST_'),
      text(32_768),
    )
    .refine((env) => Object.keys(env).length <= 128, 'must have at most 128 entries')
    .refine((env) => Buffer.byteLength(Object.entries(env).join()) <= 65_536, 'must be at most 64 KiB together'),
);

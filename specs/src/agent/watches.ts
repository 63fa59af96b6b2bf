import * as z from 'zod';
import { fileEventSchema } from '../public/file-event.ts';

/** A line of the answer to `GET /v1/files/events`. `quiet` comes every 15 s in which nothing else does. */
export const watchLineSchema = z.union([fileEventSchema, z.object({ type: z.literal('quiet') })]);
export type WatchLine = z.infer<typeof watchLineSchema>;

/** The longest line in bytes: a path of which JSON escapes every character, and its type. */
export const watchLineBytesMax = 64 * 1024;

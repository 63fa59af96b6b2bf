import * as z from 'zod';
import { changeKindSchema, omissionSchema } from '../public/artifact.ts';
import { unpackedSchema } from '../public/file.ts';

/** One change in the workspace after a step. The content is fetched in a request of its own. */
export const changeSchema = z.object({
  path: z.string().max(8192).meta({ description: 'Relative to the workspace, whose own path is empty' }),
  change: changeKindSchema,
  size: z.number().int().min(0),
  concurrent: z.boolean().meta({
    description: 'Another context ran a step at the same time, which may have made this change',
  }),
  version: z
    .string()
    .max(128)
    .optional()
    .meta({ description: 'Names this state of the file; `GET /v1/files?version=` reads exactly this state or fails' }),
  omission: omissionSchema.optional(),
});
export type Change = z.infer<typeof changeSchema>;

export const changesPerFrameMax = 500;
/** The payload of a `changes` frame. */
export const changesSchema = z.object({ changes: z.array(changeSchema).max(changesPerFrameMax) });

/** An archive that the agent has unpacked, with the files as they are now. */
export const agentUnpackedSchema = unpackedSchema.extend({ changes: z.array(changeSchema).max(100_000) });

export const digestsPerPageMax = 1000;
/** A part of all regular files of the workspace, in the order of a walk through it. */
export const digestPageSchema = z.object({
  files: z
    .array(
      changeSchema.pick({ path: true, size: true }).extend({
        version: z.string().max(128),
        sha256: z
          .hash('sha256')
          .nullable()
          .meta({ description: 'Null if the file is larger than `bytesMax` or unreadable' }),
      }),
    )
    .max(digestsPerPageMax),
  others: z
    .array(z.object({ path: z.string().max(8192), kind: z.enum(['link', 'other']) }))
    .max(digestsPerPageMax)
    .optional()
    .meta({ description: 'Links, special files and files whose names no request can have' }),
  next: z
    .string()
    .max(16_384)
    .regex(/^[\w-]+$/)
    .nullable()
    .meta({ description: 'The `after` of the next page; null at the end' }),
});
export type DigestPage = z.infer<typeof digestPageSchema>;

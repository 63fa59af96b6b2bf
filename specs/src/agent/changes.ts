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

import * as z from 'zod';
import { artifactIdSchema, jobIdSchema, sessionIdSchema, stepIdSchema } from './ids.ts';

/** Why a changed file's content was not kept; `too-many` stands for all changes beyond what is looked at. */
export const omissions = [
  'too-large',
  'step-limit',
  'session-limit',
  'changing',
  'not-a-file',
  'unreadable',
  'invalid-name',
  'too-many',
] as const;

/** What an agent saw of one change under the workspace after a step; the content is fetched apart. */
export const changeSchema = z.object({
  path: z.string().max(8192).meta({ description: 'Relative to the workspace, which itself is the empty path' }),
  change: z.enum(['created', 'modified', 'deleted']),
  size: z.number().int().min(0),
  concurrent: z.boolean().meta({ description: 'Steps of other contexts ran meanwhile; it may be theirs' }),
  omission: z.enum(omissions).optional(),
});
export type Change = z.infer<typeof changeSchema>;

/** A file that a step or job created, changed or deleted. `url` is null where there is no content to be had. */
export const artifactSchema = z
  .object({
    id: artifactIdSchema,
    sessionId: sessionIdSchema,
    stepId: stepIdSchema.nullable(),
    jobId: jobIdSchema.nullable(),
    path: z.string(),
    change: z.enum(['created', 'modified', 'deleted']),
    size: z.number().int().nullable(),
    sha256: z.string().nullable(),
    mimeType: z.string().nullable(),
    concurrent: z.boolean(),
    omission: z.enum(omissions).nullable().meta({ description: 'Why the content was not kept' }),
    url: z.string().nullable(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Artifact' });
export type Artifact = z.infer<typeof artifactSchema>;

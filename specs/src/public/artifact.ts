import * as z from 'zod';
import { artifactIdSchema, stepIdSchema } from './ids.ts';

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
export const omissionSchema = z.enum(omissions);
export type Omission = z.infer<typeof omissionSchema>;

const changeKindSchema = z.enum(['created', 'modified', 'deleted']);

/** What an agent saw of one change under the workspace after a step; the content is fetched apart. */
export const changeSchema = z.object({
  path: z.string().max(8192).meta({ description: 'Relative to the workspace, which itself is the empty path' }),
  change: changeKindSchema,
  size: z.number().int().min(0),
  concurrent: z.boolean().meta({ description: 'Steps of other contexts ran meanwhile; it may be theirs' }),
  version: z
    .string()
    .max(128)
    .optional()
    .meta({ description: 'Which state of the file this is; `GET /v1/files?version=` reads that one or nothing' }),
  omission: omissionSchema.optional(),
});
export type Change = z.infer<typeof changeSchema>;

/** In one frame. */
export const changesPerFrameMax = 500;
export const changesSchema = z.object({ changes: z.array(changeSchema).max(changesPerFrameMax) });

/** `input` is what the host gave to a job, `stdout` and `stderr` are what a job wrote there, `output` is all else. */
export const artifactRoleSchema = z.enum(['input', 'output', 'stdout', 'stderr']);
export type ArtifactRole = z.infer<typeof artifactRoleSchema>;

/** A file that a step created, changed or deleted. `url` is null where there is no content to be had. */
export const artifactContent = z.object({
  id: artifactIdSchema,
  path: z.string().meta({ description: 'Relative to the workspace' }),
  role: artifactRoleSchema,
  change: changeKindSchema,
  size: z.number().int().nullable().meta({ description: 'Bytes; null where it was deleted or not kept' }),
  sha256: z.string().nullable(),
  mimeType: z.string().nullable(),
  concurrent: z.boolean().meta({ description: 'Steps of other contexts ran meanwhile; it may be theirs' }),
  omission: omissionSchema.nullable().meta({ description: 'Why the content was not kept' }),
  url: z.string().nullable().meta({ description: 'Where the content is, relative to the server' }),
});

export const artifactSchema = artifactContent
  .extend({ stepId: stepIdSchema, createdAt: z.iso.datetime() })
  .meta({ id: 'Artifact' });
export type Artifact = z.infer<typeof artifactSchema>;

const signedSeconds = z.coerce
  .number()
  .int()
  .min(1)
  .max(604_800)
  .optional()
  .meta({ description: 'Signs the URLs, so that they need no API key for so long' });

export const artifactsQuerySchema = z.object({
  stepId: stepIdSchema.optional(),
  signedSeconds,
});
export const signedQuerySchema = z.object({ signedSeconds });

/** The query of a URL that was signed; without it an API key is needed. */
export const signatureQuerySchema = z.object({
  expires: z.coerce.number().int().optional().meta({ description: 'Seconds since 1970' }),
  signature: z.string().max(128).optional(),
});

import * as z from 'zod';
import { apiKeyIdSchema, artifactIdSchema, stepIdSchema } from './values/ids.ts';

/**
 * Reasons not to store the content of a changed file. `too-many` stands for all changes beyond the number that is examined. `refused`: the
 * policy forbids the change, and it was put back.
 */
export const omissions = [
  'too-large',
  'step-limit',
  'session-limit',
  'tenant-limit',
  'changing',
  'not-a-file',
  'unreadable',
  'invalid-name',
  'too-many',
  'refused',
] as const;
export const omissionSchema = z.enum(omissions);
export type Omission = z.infer<typeof omissionSchema>;

export const changeKindSchema = z.enum(['created', 'modified', 'deleted']);

/** The host gave a job its `input`. A job printed to `stdout` and `stderr`. Every other file is `output`. */
export const artifactRoleSchema = z.enum(['input', 'output', 'stdout', 'stderr']);
export type ArtifactRole = z.infer<typeof artifactRoleSchema>;

/** A file that a step created, changed or deleted. `url` is null if no content is stored. */
export const artifactContent = z.object({
  id: artifactIdSchema,
  path: z.string().meta({ description: 'Relative to the workspace' }),
  role: artifactRoleSchema,
  change: changeKindSchema,
  size: z.number().int().nullable().meta({ description: 'In bytes; null if the file was deleted or not stored' }),
  sha256: z.string().nullable(),
  mimeType: z.string().nullable(),
  concurrent: z.boolean().meta({
    description: 'A step or a job that ran at the same time may have made this change, too',
  }),
  omission: omissionSchema.nullable().meta({ description: 'Why the content was not stored' }),
  rule: z
    .string()
    .optional()
    .meta({ description: 'The rule of the policy that forbids the change; the file was put back as it was' }),
  url: z.string().nullable().meta({ description: 'Download URL of the content, relative to the server' }),
});

export const artifactSchema = artifactContent
  .extend({ stepId: stepIdSchema, createdAt: z.iso.datetime() })
  .meta({ id: 'Artifact' });
export type Artifact = z.infer<typeof artifactSchema>;

export const signedSecondsSchema = z.coerce.number().int().min(1).max(604_800).optional();

export const artifactsQuerySchema = z.object({ stepId: stepIdSchema.optional(), signedSeconds: signedSecondsSchema });
export const signedQuerySchema = z.object({ signedSeconds: signedSecondsSchema });

/** The query of a signed URL. A request without it needs an API key. */
export const signatureQuerySchema = z.object({
  expires: z.coerce.number().int().optional(),
  key: apiKeyIdSchema.optional(),
  signature: z.string().max(128).optional(),
});

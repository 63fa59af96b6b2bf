import * as z from 'zod';
import { omissionSchema, signatureQuerySchema } from './artifact.ts';
import { sandboxPathSchema } from './values/workspace-path.ts';

export const fileEntriesMax = 10_000;
export const listDepthMax = 64;

export const fileKindSchema = z.enum(['file', 'directory', 'link', 'other']);

export const fileEntrySchema = z
  .object({
    path: z.string().max(8192).meta({ description: 'Relative to the workspace, or absolute outside it' }),
    kind: fileKindSchema,
    size: z.number().int().min(0).meta({ description: 'In bytes; 0 unless the entry is a file' }),
    modifiedAt: z.iso.datetime(),
  })
  .meta({ id: 'FileEntry' });
export type FileEntry = z.infer<typeof fileEntrySchema>;

const id = (description: string) =>
  z
    .number()
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .meta({ description });
const userName = (description: string) => z.string().max(256).nullable().meta({ description });

/** Everything about one path, as lstat(2) has it: a link itself, not its target. */
export const fileStatSchema = fileEntrySchema
  .extend({
    mode: z
      .string()
      .regex(/^[0-7]{4}$/)
      .meta({ description: 'The permissions as four octal digits' }),
    uid: id('The id of the owner'),
    gid: id('The id of the group'),
    owner: userName("The owner's name; null if the sandbox has none for this id"),
    group: userName("The group's name; null if the sandbox has none for this id"),
    linkTarget: z
      .string()
      .max(8192)
      .nullable()
      .meta({ description: 'The target of a link as it stands there; null for anything else' }),
    changedAt: z.iso.datetime().meta({ description: 'When the content, the mode, the owner or the name changed last' }),
    accessedAt: z.iso.datetime(),
  })
  .meta({ id: 'FileStat' });
export type FileStat = z.infer<typeof fileStatSchema>;

/** Sorted by path. */
export const fileListSchema = z
  .object({
    items: z.array(fileEntrySchema).max(fileEntriesMax),
    truncated: z
      .boolean()
      .meta({ description: 'Whether some entries are missing because the list is full or they cannot be listed' }),
  })
  .meta({ id: 'FileList' });
export type FileList = z.infer<typeof fileListSchema>;

/** A file that was written. Its ETag is `sha256` in quotes. */
export const writtenFileSchema = z
  .object({
    path: z.string().max(8192),
    size: z.number().int().min(0),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
  })
  .meta({ id: 'WrittenFile' });
export type WrittenFile = z.infer<typeof writtenFileSchema>;

export const moveFileSchema = z
  .strictObject({ from: sandboxPathSchema, to: sandboxPathSchema, overwrite: z.boolean().default(false) })
  .meta({ id: 'MoveFile' });
export type MoveFile = z.infer<typeof moveFileSchema>;

export const makeDirectorySchema = z.strictObject({ path: sandboxPathSchema }).meta({ id: 'MakeDirectory' });

export const madeDirectorySchema = z.object({ path: z.string().max(8192) }).meta({ id: 'MadeDirectory' });

/** The one thing that a link to a file allows. */
export const fileLinkOperationSchema = z.enum(['read', 'write']);
export type FileLinkOperation = z.infer<typeof fileLinkOperationSchema>;

/** `POST /v1/sessions/{sessionId}/files/links` */
export const createFileLinkSchema = z
  .strictObject({
    path: sandboxPathSchema.refine((path) => path !== '', 'a file must be named'),
    operation: fileLinkOperationSchema.meta({ description: '`read` for `GET` and `HEAD`, `write` for `PUT`' }),
    expiresSeconds: z.number().int().min(1).max(604_800).meta({ description: 'How long the URL works' }),
  })
  .meta({ id: 'CreateFileLink' });
export type CreateFileLink = z.infer<typeof createFileLinkSchema>;

export const fileLinkSchema = z
  .object({
    path: z.string().max(8192),
    operation: fileLinkOperationSchema,
    url: z.string().meta({ description: 'Relative to the server' }),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'FileLink' });
export type FileLink = z.infer<typeof fileLinkSchema>;

export const archiveFormatSchema = z.enum(['tar', 'zip']);
export type ArchiveFormat = z.infer<typeof archiveFormatSchema>;

const directory = sandboxPathSchema
  .default('')
  .meta({ description: 'The directory; default: the workspace', example: 'plots' });

export const listFilesQuerySchema = z.strictObject({
  path: directory,
  depth: z.coerce
    .number()
    .int()
    .min(1)
    .max(listDepthMax)
    .default(1)
    .meta({ type: 'integer', description: 'How many levels of directories to list', example: 1 }),
});
/** The query of a signed URL of a file. A request without it needs an API key. */
export const fileSignatureQuerySchema = signatureQuerySchema
  .extend({ operation: fileLinkOperationSchema.optional() })
  .strict();

export const statFileQuerySchema = z.strictObject({
  path: sandboxPathSchema
    .default('')
    .meta({ description: 'The file, link or directory; default: the workspace', example: '/tmp/build.log' }),
});
export const deleteFileQuerySchema = z.strictObject({
  recursive: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .meta({ description: 'Whether to delete a directory with everything in it', example: 'true' }),
});
export const archiveQuerySchema = z.strictObject({
  path: directory,
  format: archiveFormatSchema.default('tar').meta({ description: 'Format of the archive', example: 'tar' }),
});

/** An archive that was unpacked. */
export const unpackedSchema = z
  .object({ files: z.number().int().min(0), bytes: z.number().int().min(0) })
  .meta({ id: 'Unpacked' });
export type Unpacked = z.infer<typeof unpackedSchema>;

/** An archive that was unpacked in a session. */
export const unpackedArchiveSchema = unpackedSchema
  .extend({
    omissions: z.record(z.string(), omissionSchema).meta({
      description: 'Files that are in the workspace but were not stored for a new sandbox, each with the reason',
    }),
  })
  .meta({ id: 'UnpackedArchive' });
export type UnpackedArchive = z.infer<typeof unpackedArchiveSchema>;

/**
 * Whether the list of ETags in an `If-Match` or `If-None-Match` header (RFC 9110, 8.8.3) contains this one; `*` matches any. A weak ETag
 * in the list, `W/"…"`, matches only in a `weak` comparison. `etag` is null if the file does not exist. Pure.
 */
export function matchesEtag(list: string, { etag, weak }: { etag: string | null; weak: boolean }): boolean {
  if (etag === null) return false;
  if (list.trim() === '*') return true;
  return list.split(',').some((one) => (weak ? one.trim().replace(/^W\//, '') : one.trim()) === etag);
}

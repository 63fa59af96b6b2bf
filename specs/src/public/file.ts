import * as z from 'zod';
import { changeSchema, omissionSchema } from './artifact.ts';

/** Longest path and longest name, in bytes, as Linux has them (limits.h). */
const pathBytesMax = 4095;
const nameBytesMax = 255;
/** Names in a path: each is a directory that is held open while a file is looked up. */
export const pathNamesMax = 256;

/** The names of uploads that are not whole yet begin so; nobody sees them. */
export const uploadPrefix = '.holdfast-upload-';

/** Given with a request, by path: a text, or bytes as `{base64}`. */
const inlineFileSchema = z.union([z.string().max(8_388_608), z.strictObject({ base64: z.base64().max(11_184_812) })]);
export type InlineFile = { path: string; bytes: Buffer };

const inlineFilesMax = 1000;

/** Absolute paths under which the workspace is known in every sandbox. */
export const workspaceRoots = ['/workspace', '/mnt/data'] as const;

export const fileEntriesMax = 10_000;
export const listDepthMax = 64;

/**
 * A path as the workspace keeps it: relative, components joined by `/`, none of them empty, `.` or `..`. The empty path is the
 * workspace itself. `/workspace/x` and `/mnt/data/x` mean `x`. Pure.
 *
 * @returns null where it is no such path: another absolute one, `..`, NUL, a lone surrogate, a name or path that is too long, the
 * name of an upload
 */
export function workspacePath(given: string): string | null {
  if (given.includes('\0') || !given.isWellFormed()) return null;
  const root = workspaceRoots.find((known) => given === known || given.startsWith(`${known}/`));
  if (given.startsWith('/') && !root) return null;
  const names = given
    .slice(root?.length ?? 0)
    .split('/')
    .filter((name) => name !== '' && name !== '.');
  if (names.some((name) => name === '..' || Buffer.byteLength(name) > nameBytesMax)) return null;
  if (names.length > pathNamesMax || names.some((name) => name.startsWith(uploadPrefix))) return null;
  const path = names.join('/');
  return Buffer.byteLength(path) > pathBytesMax ? null : path;
}

/** A path within the workspace, as `workspacePath` writes it. */
export const filePathSchema = z
  .string()
  .max(8192)
  .transform((given, context) => {
    const path = workspacePath(given);
    if (path !== null) return path;
    context.addIssue({ code: 'custom', message: 'must be a path within the workspace' });
    return z.NEVER;
  });

/** Files that come within a request, by path. Two names of one path are a fault. */
export const filesSchema = z.record(z.string(), inlineFileSchema).transform((files, context): InlineFile[] => {
  const given = Object.entries(files).map(([name, content]) => ({ name, path: workspacePath(name), content }));
  if (given.length > inlineFilesMax) context.addIssue(`must be at most ${inlineFilesMax} files`);
  const paths = new Set<string | null>();
  const known = new Set(given.map(({ path }) => path));
  for (const { name, path } of given) {
    const fault = faultOf(path, { paths, known });
    if (fault) context.addIssue({ code: 'custom', path: [name], message: fault });
    paths.add(path);
  }
  return given.map(({ path, content }) => ({ path: path ?? '', bytes: bytesOf(content) }));
});

/** What keeps a file from being written beside those before it, and all that are `known`. */
function faultOf(path: string | null, { paths, known }: Record<'paths' | 'known', ReadonlySet<string | null>>) {
  if (!path) return 'must be a path within the workspace';
  if (paths.has(path)) return `repeats the path ${path}`;
  const names = path.split('/');
  const file = names.map((_, end) => names.slice(0, end).join('/')).find((directory) => known.has(directory));
  return file ? `lies below ${file}, which is a file` : null;
}

const bytesOf = (content: string | { base64: string }): Buffer =>
  typeof content === 'string' ? Buffer.from(content) : Buffer.from(content.base64, 'base64');

export const fileEntrySchema = z
  .object({
    path: z.string().max(8192).meta({ description: 'Relative to the workspace' }),
    kind: z.enum(['file', 'directory', 'link', 'other']),
    size: z.number().int().min(0).meta({ description: 'Bytes; 0 for what is no file' }),
    modifiedAt: z.iso.datetime(),
  })
  .meta({ id: 'FileEntry' });
export type FileEntry = z.infer<typeof fileEntrySchema>;

/** Sorted by path. */
export const fileListSchema = z
  .object({
    items: z.array(fileEntrySchema).max(fileEntriesMax),
    truncated: z.boolean().meta({ description: 'There is more than the list can hold, or than can be listed' }),
  })
  .meta({ id: 'FileList' });
export type FileList = z.infer<typeof fileListSchema>;

/** A file that was written; its ETag is `sha256` in quotes. */
export const writtenFileSchema = z
  .object({
    path: z.string().max(8192),
    size: z.number().int().min(0),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
  })
  .meta({ id: 'WrittenFile' });
export type WrittenFile = z.infer<typeof writtenFileSchema>;

export const moveFileSchema = z
  .strictObject({ from: filePathSchema, to: filePathSchema, overwrite: z.boolean().default(false) })
  .meta({ id: 'MoveFile' });
export type MoveFile = z.infer<typeof moveFileSchema>;

export const makeDirectorySchema = z.strictObject({ path: filePathSchema }).meta({ id: 'MakeDirectory' });

export const archiveFormatSchema = z.enum(['tar', 'zip']);
export type ArchiveFormat = z.infer<typeof archiveFormatSchema>;

/** Queries of the public routes. */
export const listFilesQuerySchema = z.strictObject({
  path: filePathSchema.default('').meta({ description: 'The directory', example: 'plots' }),
  depth: z.coerce
    .number()
    .int()
    .min(1)
    .max(listDepthMax)
    .default(1)
    .meta({ type: 'integer', description: 'How far down', example: 1 }),
});
export const deleteFileQuerySchema = z.strictObject({
  recursive: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .meta({ description: 'Whether a directory goes with all that is in it', example: 'true' }),
});
export const archiveQuerySchema = z.strictObject({
  path: filePathSchema.default('').meta({ description: 'The directory', example: 'plots' }),
  format: archiveFormatSchema.default('tar').meta({ description: 'The kind of archive', example: 'tar' }),
});

/** An archive that was unpacked. */
export const unpackedSchema = z
  .object({ files: z.number().int().min(0), bytes: z.number().int().min(0) })
  .meta({ id: 'Unpacked' });
export type Unpacked = z.infer<typeof unpackedSchema>;

/** What became of one in a session. */
export const unpackedArchiveSchema = unpackedSchema
  .extend({
    omissions: z
      .record(z.string(), omissionSchema)
      .meta({ description: 'Files that lie in the workspace and were not kept for a new sandbox, and why' }),
  })
  .meta({ id: 'UnpackedArchive' });
export type UnpackedArchive = z.infer<typeof unpackedArchiveSchema>;

/** What an agent says of one: the files as they lie there now. */
export const agentUnpackedSchema = unpackedSchema.extend({ changes: z.array(changeSchema).max(100_000) });

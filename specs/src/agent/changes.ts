import * as z from 'zod';
import { changeKindSchema, omissionSchema } from '../public/artifact.ts';
import { unpackedSchema, writtenFileSchema } from '../public/file.ts';
import { fileModeSchema, linkTargetSchema } from '../public/values/file-state.ts';

const executable = z
  .boolean()
  .optional()
  .meta({ description: 'Whether its owner may execute the file. An earlier agent does not say' });

const mode = fileModeSchema.optional().meta({ description: 'The permissions. An earlier agent does not say' });

/** One change of a file in the workspace after a step. The content is fetched in a request of its own. */
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
  executable,
  mode,
  omission: omissionSchema.optional(),
  target: linkTargetSchema
    .optional()
    .meta({ description: 'The target of a link. The `omission` is `not-a-file`, as files are what has a content' }),
});
export type Change = z.infer<typeof changeSchema>;

/** A directory that was created or deleted. Artifacts are files, so it is in a list of its own, which an earlier data-plane ignores. */
export const directoryChangeSchema = z.object({
  path: changeSchema.shape.path,
  change: z.enum(['created', 'deleted']),
});
export type DirectoryChange = z.infer<typeof directoryChangeSchema>;

export const changesPerFrameMax = 500;
/** The payload of a `changes` frame. */
export const changesSchema = z.object({
  changes: z.array(changeSchema).max(changesPerFrameMax),
  directories: z.array(directoryChangeSchema).max(changesPerFrameMax).optional(),
});
/** All changes in the workspace after a step, each list sorted by path. */
export type WorkspaceChanges = Required<z.infer<typeof changesSchema>>;

/** `true` on a request that writes a file: its owner may execute the file. Without it, a file that is replaced keeps its mode. */
export const executableHeader = 'holdfast-executable';

/** `true` on a request that writes or moves a file, or makes a directory: a link on its new path is refused, as it could lead to a place that the policy hides. */
export const linklessHeader = 'holdfast-linkless';

/**
 * On a request that writes, makes or deletes: gives exactly this path a state of the world, no matter what code has made of the directories above
 * it. No link is followed, and directories that their owner could not use become usable. The value is what comes there: a file's mode, `file` if
 * its mode is not known, `link` if the body is the target of a link, `directory`, or `absent`. An earlier agent ignores it, and writes a link as a file.
 */
export const restoreHeader = 'holdfast-restore';
export const restoredSchema = z.union([fileModeSchema, z.enum(['file', 'link', 'directory', 'absent'])]);

/** A file that the agent has written. */
export const agentWrittenSchema = writtenFileSchema.extend({ executable, mode });

export type AgentWritten = z.infer<typeof agentWrittenSchema>;

export const unpackedDirectoriesMax = 10_000;
/** An archive that the agent has unpacked, with the files as they are now. */
export const agentUnpackedSchema = unpackedSchema.extend({
  changes: z.array(changeSchema).max(100_000),
  directories: z
    .array(z.string().max(8192))
    .max(unpackedDirectoriesMax)
    .nullable()
    .optional()
    .meta({ description: 'The directories that the archive names, and all above them; null if they are too many' }),
});

export const digestsPerPageMax = 1000;
/** A part of all regular files and directories of the workspace, in the order of a walk through it. */
export const digestPageSchema = z.object({
  files: z
    .array(
      changeSchema.pick({ path: true, size: true }).extend({
        version: z.string().max(128),
        executable,
        mode,
        sha256: z
          .hash('sha256')
          .nullable()
          .meta({ description: 'Null if the file is larger than `bytesMax` or unreadable' }),
      }),
    )
    .max(digestsPerPageMax),
  directories: z
    .array(z.string().max(8192))
    .max(digestsPerPageMax)
    .optional()
    .meta({ description: 'An earlier agent does not list them' }),
  unreadable: z
    .array(z.string().max(8192))
    .max(digestsPerPageMax)
    .optional()
    .meta({ description: 'Those of the directories that cannot be read, so that nothing is known of what is in them' }),
  links: z
    .array(z.object({ path: z.string().max(8192), target: linkTargetSchema }))
    .max(digestsPerPageMax)
    .optional()
    .meta({ description: 'Those of the links among the others that a world can keep' }),
  others: z
    .array(z.object({ path: z.string().max(8192), kind: z.enum(['link', 'other']) }))
    .max(digestsPerPageMax)
    .optional()
    .meta({ description: 'Links, special files, and files and directories whose names no request can have' }),
  next: z
    .string()
    .max(16_384)
    .regex(/^[\w-]+$/)
    .nullable()
    .meta({ description: 'The `after` of the next page; null at the end' }),
});
export type DigestPage = z.infer<typeof digestPageSchema>;

import * as z from 'zod';
import { actorNameSchema, actorSchema, type StepStatus, stepStatuses } from './step.ts';
import { fileModeSchema, linkTargetSchema } from './values/file-state.ts';
import { contextIdSchema, sessionIdSchema, snapshotIdSchema, snapshotNameSchema, stepIdSchema } from './values/ids.ts';
import { type Language, languageSchema } from './values/languages.ts';
import { storable, text } from './values/storable.ts';

export const reportedNamesMax = 10_000;
export const nameLengthMax = 512;

/** Text about the user's code, which may contain anything. */
const told = z
  .string()
  .max(nameLengthMax)
  .overwrite((value) => storable(value));

export const lostNameSchema = z.object({
  name: told.meta({ description: "'*' stands for every name" }),
  reason: told,
});
export type LostName = z.infer<typeof lostNameSchema>;

/** The fate of the state of one context whose kernel was lost. Every name that the context had is in exactly one of the lists. */
export const recoveryReportSchema = z
  .object({
    restored: z.array(told).max(reportedNamesMax).meta({ description: 'Names whose values came from the snapshot' }),
    replayed: z
      .array(told)
      .max(reportedNamesMax)
      .meta({ description: 'Names that code after the snapshot defined, which ran again' }),
    lost: z
      .array(lostNameSchema)
      .max(reportedNamesMax)
      .meta({ description: 'Names that do not exist any more, and why' }),
    stopped: z
      .object({ stepId: stepIdSchema, reason: told })
      .nullable()
      .meta({ description: 'The step at which the replay stopped, because it did not end as it did before' }),
  })
  .meta({ id: 'RecoveryReport' });
export type RecoveryReport = z.infer<typeof recoveryReportSchema>;

export const savedNameSchema = z.object({
  name: told,
  kind: z.enum(['import', 'function', 'class', 'variable']),
});

/** A kernel's description of the state that it saved. */
export const snapshotManifestSchema = z
  .object({
    format: z.literal(1),
    language: z.string().max(64),
    interpreter: told.meta({ description: 'The version of the interpreter, such as "Python 3.13.5"' }),
    saved: z.array(savedNameSchema).max(reportedNamesMax),
    notSaved: z
      .array(lostNameSchema)
      .max(reportedNamesMax)
      .meta({ description: 'Names that cannot be saved, and why' }),
    omitted: z
      .number()
      .int()
      .min(0)
      .optional()
      .meta({ description: 'Further names that the lists do not show, because the manifest would be too long' }),
  })
  .meta({ id: 'SnapshotManifest' });
export type SnapshotManifest = z.infer<typeof snapshotManifestSchema>;

/**
 * The end of a snapshot's archive: the manifest as JSON, its length in bytes as ten decimal digits, and this text. All that comes before
 * is the business of the language's kernel. An archive without this end is not complete.
 */
export const archiveEnd = 'hfsnap1\n';
export const manifestLengthDigits = 10;
export const manifestBytesMax = 4 * 2 ** 20;

/** The files that were saved together with the state of a context. */
export const savedFilesSchema = z
  .object({
    count: z.number().int(),
    bytes: z.number().int(),
    notSaved: z
      .array(lostNameSchema)
      .max(reportedNamesMax)
      .meta({ description: "Paths that could not be saved, and why. '*' stands for further ones" }),
  })
  .meta({ id: 'SavedFiles' });
export type SavedFiles = z.infer<typeof savedFilesSchema>;

export const snapshotSchema = z
  .object({
    id: snapshotIdSchema,
    sessionId: sessionIdSchema,
    contextId: contextIdSchema,
    language: languageSchema,
    interpreter: z.string(),
    origin: z.enum(['request', 'auto']).meta({
      description: 'A client asked for it, or the data-plane took it. Only the latest of the second kind is kept',
    }),
    size: z.number().int().meta({ description: 'Bytes' }),
    sha256: z.string(),
    saved: snapshotManifestSchema.shape.saved,
    notSaved: snapshotManifestSchema.shape.notSaved,
    omitted: z.number().int().meta({ description: 'Further names that the lists do not show' }),
    files: savedFilesSchema.nullable().meta({
      description:
        'The files of the workspace as they were; null if the snapshot has none, as those that the data-plane takes',
    }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Snapshot' });
export type Snapshot = z.infer<typeof snapshotSchema>;

/** A snapshot that several sessions can start from: it belongs to its tenant and not to a session, and never changes. */
export const namedSnapshotSchema = snapshotSchema
  .omit({ sessionId: true, contextId: true, origin: true })
  .extend({
    name: snapshotNameSchema,
    bytes: z.number().int().meta({ description: 'The bytes of the state and the files that count for the tenant' }),
  })
  .meta({ id: 'NamedSnapshot' });
export type NamedSnapshot = z.infer<typeof namedSnapshotSchema>;

/** Without the lists of names and files, which can be long. */
export const listedSnapshotSchema = namedSnapshotSchema
  .omit({ saved: true, notSaved: true, omitted: true, files: true })
  .meta({ id: 'ListedSnapshot' });
export type ListedSnapshot = z.infer<typeof listedSnapshotSchema>;

const archivedFileSchema = z.object({
  path: z.string().max(4096),
  size: z.number().int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  executable: z.literal(true).optional(),
  mode: fileModeSchema.optional(),
  /** Only of a link. */
  target: linkTargetSchema.optional(),
});

/**
 * The head of a snapshot that is on its way to another deployment. The transfer has four parts: the line `transferMagic`, this head as one
 * line of JSON, its signature in base64url as a line, and the bytes of the state and of each file, in this order, those of equal files once.
 */
export const transferHeadSchema = z.object({
  format: z.literal(1),
  deployment: z.string().max(64),
  language: languageSchema,
  interpreter: told,
  takenAt: z.iso.datetime(),
  state: archivedFileSchema.omit({ path: true }),
  /** Null if the snapshot has no files. */
  files: z.array(archivedFileSchema).nullable(),
  /** The empty ones. An earlier version has none. */
  directories: z.array(archivedFileSchema.shape.path).optional(),
  notSavedFiles: savedFilesSchema.shape.notSaved,
});
export type TransferHead = z.infer<typeof transferHeadSchema>;
export const transferMagic = 'holdfast-snapshot 1';
/** A longer head would take too long to read. */
export const transferHeadBytesMax = 4 * 2 ** 20;

/** `POST /v1/snapshots` */
export const nameSnapshotSchema = z
  .strictObject({
    name: snapshotNameSchema.meta({ description: 'Unique for the tenant' }),
    snapshotId: snapshotIdSchema.meta({ description: 'The snapshot of a session. It stays with its session as well' }),
  })
  .meta({ id: 'NameSnapshot' });
export type NameSnapshot = z.infer<typeof nameSnapshotSchema>;

/** `POST /v1/sessions/{sessionId}/snapshots` */
export const createSnapshotSchema = z
  .strictObject({
    contextId: contextIdSchema
      .optional()
      .meta({ description: "Default: the default context of the session's language" }),
    files: z.boolean().default(true).meta({
      description: 'Whether the files of the workspace are saved, too, for sessions that start from the snapshot',
    }),
  })
  .meta({ id: 'CreateSnapshot' });
export type CreateSnapshot = z.infer<typeof createSnapshotSchema>;

/** `POST /v1/sessions/{sessionId}/restore` */
export const restoreSchema = z.strictObject({ snapshotId: snapshotIdSchema }).meta({ id: 'Restore' });
export type Restore = z.infer<typeof restoreSchema>;

/** The context as it is after the restore. */
export const restoredSchema = z
  .object({ contextId: contextIdSchema, contextEpoch: z.number().int(), ...recoveryReportSchema.shape })
  .meta({ id: 'Restored' });
export type Restored = z.infer<typeof restoredSchema>;

export const exportFormats = ['ipynb', 'py', 'script', 'json'] as const;

/** `GET /v1/sessions/{sessionId}/export` */
export const exportQuerySchema = z.object({
  format: z.enum(exportFormats).default('ipynb').meta({
    description:
      'A Jupyter notebook, the code alone (`script`, or `py` for a Python context), or JSON that `fromExport` accepts',
  }),
  contextId: contextIdSchema.optional().meta({ description: "Default: the default context of the session's language" }),
});

const exportedStepSchema = z.object({
  id: stepIdSchema,
  actor: actorSchema,
  actorName: actorNameSchema.optional(),
  status: z.enum(stepStatuses),
  code: text(2_097_152),
});

/** The export of a context as JSON: its steps in the order in which they ran. */
export const exportedContextSchema = z
  .object({
    format: z.literal('holdfast-1'),
    sessionId: sessionIdSchema,
    contextId: contextIdSchema,
    language: languageSchema,
    steps: z.array(exportedStepSchema).max(100_000),
  })
  .meta({ id: 'ExportedContext' });
export type ExportedContext = z.infer<typeof exportedContextSchema>;

const source = z.union([text(2_097_152), z.array(text(2_097_152)).max(100_000)]);

/** A notebook of version 4, of which only the code counts. */
const notebookSchema = z.object({
  nbformat: z.literal(4),
  cells: z
    .array(
      z.object({
        cell_type: z.string(),
        source,
        metadata: z
          .object({
            holdfast: z.object({ status: z.enum(stepStatuses) }).optional(),
            tags: z.array(z.string()).optional(),
          })
          .optional(),
      }),
    )
    .max(100_000),
  metadata: z.object({ kernelspec: z.object({ language: z.string().optional() }).optional() }).optional(),
});

export const fromExportSchema = z.union([exportedContextSchema, notebookSchema], {
  error: 'is neither an export as JSON with the format "holdfast-1" nor a Jupyter notebook with "nbformat": 4',
});
export type FromExport = z.infer<typeof fromExportSchema>;

const languagesOfKernels = new Map<string, Language>([
  ['python', 'python'],
  ['javascript', 'node'],
  ['bash', 'bash'],
  ['ruby', 'ruby'],
]);

/** The language of an export, if it says one that is known. Pure. */
export function languageOf(exported: FromExport): Language | null {
  if ('steps' in exported) return exported.language;
  return languagesOfKernels.get(exported.metadata?.kernelspec?.language ?? '') ?? null;
}

/** The code of an export and whether it ended with an error, in order. `number` counts the steps or cells from 1. */
export type ExportedCode = { number: number; code: string; status: 'succeeded' | 'failed' };

/** The code of an export that can run again: all that ended by itself, without empty cells. Pure. */
export function codeIn(exported: FromExport): ExportedCode[] {
  const all = 'steps' in exported ? exported.steps : exported.cells.map(stepOfCell);
  return all.flatMap(({ code, status }, index) =>
    code.trim() !== '' && (status === 'succeeded' || status === 'failed') ? [{ number: index + 1, code, status }] : [],
  );
}

type Cell = z.infer<typeof notebookSchema>['cells'][number];

/** A tag of Jupyter's says that a cell may fail. */
function stepOfCell({ cell_type, source, metadata }: Cell): { code: string; status: StepStatus | null } {
  if (cell_type !== 'code') return { code: '', status: null };
  const status = metadata?.tags?.includes('raises-exception') ? 'failed' : 'succeeded';
  return {
    code: typeof source === 'string' ? source : source.join(''),
    status: metadata?.holdfast?.status ?? status,
  };
}

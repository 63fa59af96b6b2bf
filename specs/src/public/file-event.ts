import * as z from 'zod';
import { sandboxPathSchema } from './values/workspace-path.ts';

const changed = z.object({
  type: z.enum(['created', 'modified', 'deleted']).meta({
    description: '`created`: a file, a link or a directory is new at this path, or has taken the place of another',
  }),
  path: z.string().max(8192),
});

/**
 * An event of a watch. It says where to look, and may come more than once for one change: changes that follow each other quickly are one
 * event, which tells the last.
 */
export const fileEventSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('ready').meta({ description: 'All changes from now on are told' }) }),
    changed,
    z.object({
      type: z.literal('overflow').meta({ description: 'Some changes were lost: list the files anew' }),
    }),
    z.object({
      type: z.literal('ended'),
      reason: z.enum(['deleted', 'too-many-directories']).meta({
        description: '`deleted`: the path that was watched is gone or another directory stands there',
      }),
    }),
  ])
  .meta({ id: 'FileEvent' });
export type FileEvent = z.infer<typeof fileEventSchema>;

export const watchFilesQuerySchema = z.strictObject({
  path: sandboxPathSchema.meta({
    description:
      'A directory or a file; empty: the workspace. A link to a directory stands for the directory, and a link to a file for itself',
    example: 'src',
  }),
  recursive: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .meta({ description: 'Whether to watch the directories below as well', example: 'true' }),
});

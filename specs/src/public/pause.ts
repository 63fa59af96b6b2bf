import * as z from 'zod';
import { sessionSchema } from './session.ts';
import { contextIdSchema } from './values/ids.ts';

/** `POST /v1/sessions/{sessionId}/recover` */
export const recoverSchema = z
  .strictObject({
    strategy: z.enum(['snapshot', 'replay']).default('snapshot').meta({
      description:
        '`snapshot` gives a lost session another sandbox with its latest snapshots. `replay` also runs the whole history of each context again, in order and without its output, also in a session that is active',
    }),
  })
  .meta({ id: 'Recover' });

/** `POST /v1/sessions/{sessionId}/pause` */
export const pauseSchema = z
  .strictObject({
    force: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether to pause even if names or files cannot be saved, which are then lost' }),
  })
  .meta({ id: 'Pause' });
export type Pause = z.infer<typeof pauseSchema>;

/** A part of a session's state that a pause cannot save. */
export const unsavedSchema = z.object({
  contextId: contextIdSchema.nullable().meta({ description: 'Null for a file' }),
  name: z.string().meta({ description: "A name, or the path of a file. '*' stands for every name" }),
  reason: z.string(),
});
export type Unsaved = z.infer<typeof unsavedSchema>;

export const pausedSchema = z
  .object({ ...sessionSchema.shape, notSaved: z.array(unsavedSchema) })
  .meta({ id: 'PausedSession' });
export type PausedSession = z.infer<typeof pausedSchema>;

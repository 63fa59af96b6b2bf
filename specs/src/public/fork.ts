import * as z from 'zod';
import { sessionSchema } from './session.ts';
import { budgetLimitsSchema } from './values/budget.ts';
import { snapshotIdSchema } from './values/ids.ts';
import { metadataSchema } from './values/session-fields.ts';

export const forksMax = 16;

/** `POST /v1/sessions/{sessionId}/fork` */
export const forkSchema = z
  .strictObject({
    count: z.number().int().min(1).max(forksMax).default(1).meta({ description: 'The number of new sessions' }),
    snapshotId: snapshotIdSchema.optional().meta({
      description: 'A snapshot of the session, instead of its state and its files as they are now',
    }),
    metadata: metadataSchema.optional().meta({ description: 'Instead of the metadata of the session' }),
    budget: budgetLimitsSchema.optional().meta({
      description:
        'A budget for each new session. Without it they share the budget of the session; only a key with the scope `host` may leave that',
    }),
  })
  .meta({ id: 'Fork' });
export type Fork = z.infer<typeof forkSchema>;

export const forksSchema = z.object({ items: z.array(sessionSchema) }).meta({ id: 'Forks' });
export type Forks = z.infer<typeof forksSchema>;

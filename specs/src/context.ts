import { z } from 'zod';
import { environmentSchema } from './environment.ts';
import { contextIdSchema, stepIdSchema } from './ids.ts';
import { languageSchema } from './languages.ts';
import { actorSchema } from './step.ts';
import { text } from './text.ts';

export const createContextSchema = z
  .strictObject({
    language: languageSchema,
    cwd: text(4096).min(1).optional().meta({ description: 'Working directory, relative to the workspace' }),
    env: environmentSchema.default({}),
  })
  .meta({ id: 'CreateContext' });
export type CreateContext = z.infer<typeof createContextSchema>;

export const contextSchema = z
  .object({
    id: contextIdSchema,
    language: languageSchema,
    isDefault: z.boolean(),
    contextEpoch: z.number().int().meta({ description: "Which life of the context's kernel this is" }),
    state: z.enum(['starting', 'idle', 'busy', 'dead']),
    cwd: z.string(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Context' });
export type Context = z.infer<typeof contextSchema>;

/** What a kernel says of one name that steps have defined. `size` is a length or a count of bytes, where the type has one. */
export const symbolSchema = z.object({
  name: z.string().max(512),
  kind: z.enum(['variable', 'function', 'class', 'module']),
  type: z.string().max(512),
  preview: z.string().max(512),
  size: z.number().int().nullable(),
  stepId: stepIdSchema.nullable(),
});
export type KernelSymbol = z.infer<typeof symbolSchema>;

export const sessionContextSchema = z
  .object({
    combinedCode: z
      .string()
      .meta({ description: 'The code of all succeeded steps of the live contexts, in execution order' }),
    symbols: z.array(symbolSchema.extend({ contextId: contextIdSchema, actor: actorSchema.nullable() })),
  })
  .meta({ id: 'SessionContext' });
export type SessionContext = z.infer<typeof sessionContextSchema>;

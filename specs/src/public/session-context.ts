import * as z from 'zod';
import { actorSchema } from './step.ts';
import { contextIdSchema, stepIdSchema } from './values/ids.ts';
import { languageSchema } from './values/languages.ts';

/** A kernel's description of a name that steps have defined. `size` is a length or a number of bytes, if the type has one. */
export const symbolSchema = z.object({
  name: z.string().max(512),
  kind: z.enum(['variable', 'function', 'class', 'module']),
  type: z.string().max(512),
  preview: z.string().max(512),
  size: z.number().int().nullable(),
  stepId: stepIdSchema.nullable(),
});
export type KernelSymbol = z.infer<typeof symbolSchema>;

/** `GET /v1/sessions/{sessionId}/context`: default contexts come first, by name, then the others from the oldest to the newest. */
export const sessionContextSchema = z
  .object({
    contexts: z
      .array(
        z.object({
          contextId: contextIdSchema,
          language: languageSchema,
          listsSymbols: z.boolean().meta({
            description: 'Whether `symbols` has the names of this context. A Jupyter kernel cannot tell them',
          }),
          combinedCode: z.string().meta({
            description: "The code of the context's succeeded steps since its last reset, in execution order",
          }),
        }),
      )
      .meta({ description: 'One entry per live context, so code of different languages is never mixed' }),
    symbols: z
      .array(symbolSchema.extend({ contextId: contextIdSchema, actor: actorSchema.nullable() }))
      .meta({ description: 'The names that the contexts define, with the step and the actor that defined them' }),
  })
  .meta({ id: 'SessionContext' });
export type SessionContext = z.infer<typeof sessionContextSchema>;

import * as z from 'zod';
import { codeLanguageSchema } from './values/languages.ts';
import { profileNameSchema } from './values/session-fields.ts';

/** A language that a profile or a sandbox offers, and what it can do. */
export const offeredLanguageSchema = z
  .object({
    name: codeLanguageSchema,
    kernel: z.enum(['built-in', 'jupyter']).nullable().meta({
      description:
        'The program that runs its steps: one of Holdfast, or a Jupyter kernel; null if the language runs jobs only',
    }),
    runsJobs: z.boolean(),
    listsSymbols: z
      .boolean()
      .meta({ description: 'Whether `GET …/context` lists the names that its steps have defined' }),
    takesStepEnv: z.boolean().meta({ description: 'Whether a step can have environment variables of its own' }),
  })
  .meta({ id: 'OfferedLanguage' });
export type OfferedLanguage = z.infer<typeof offeredLanguageSchema>;

export const languagesQuerySchema = z.strictObject({ profile: profileNameSchema.optional() });

/** `GET /v1/languages`. */
export const profileLanguagesSchema = z
  .object({ profile: profileNameSchema, languages: z.array(offeredLanguageSchema) })
  .meta({ id: 'ProfileLanguages' });
export type ProfileLanguages = z.infer<typeof profileLanguagesSchema>;

/** `GET /v1/sessions/{sessionId}/languages`. */
export const sessionLanguagesSchema = z
  .object({ languages: z.array(offeredLanguageSchema) })
  .meta({ id: 'SessionLanguages' });
export type SessionLanguages = z.infer<typeof sessionLanguagesSchema>;

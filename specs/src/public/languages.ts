import * as z from 'zod';

/** The languages that have a kernel. JavaScript and TypeScript are both `node`. */
export const languageSchema = z.enum(['python', 'node', 'bash', 'ruby']).meta({ id: 'Language' });

export type Language = z.infer<typeof languageSchema>;

/** The languages in which a job can run. */
export const jobLanguageSchema = z.enum(['python', 'node', 'bun', 'bash']).meta({ id: 'JobLanguage' });

export type JobLanguage = z.infer<typeof jobLanguageSchema>;

/** Every language that a sandbox can have. */
export const codeLanguageSchema = z.enum([...languageSchema.options, 'bun']).meta({ id: 'CodeLanguage' });

export type CodeLanguage = z.infer<typeof codeLanguageSchema>;

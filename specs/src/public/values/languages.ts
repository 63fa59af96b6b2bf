import * as z from 'zod';

/** The languages with a kernel of our own. JavaScript and TypeScript are both `node`. */
export const builtInLanguages = ['python', 'node', 'bash', 'ruby'] as const;

export type BuiltInLanguage = (typeof builtInLanguages)[number];

export const isBuiltIn = (language: string): language is BuiltInLanguage =>
  (builtInLanguages as readonly string[]).includes(language);

/** Not the beginning of another context's id, because a default context has its language's name as its id; not a language of jobs alone. */
export const languagePattern = '(?!ctx_|bun$)[a-z0-9][a-z0-9._-]{0,62}';

/** The language of a context: a built-in one, or the name of a Jupyter kernel that is installed in the sandbox. */
export const languageSchema = z
  .string()
  .regex(
    new RegExp(`^${languagePattern}$`),
    `must be ${builtInLanguages.join(', ')} or the name of a Jupyter kernel (1 to 63 of a-z 0-9 . _ -)`,
  )
  .meta({
    id: 'Language',
    description: `${builtInLanguages.join(', ')}, or the name of an installed Jupyter kernel; see \`GET /v1/languages\``,
  });

export type Language = z.infer<typeof languageSchema>;

/** The languages whose kernels have comms. */
export const languagesWithComms: ReadonlySet<Language> = new Set(['python']);

/** The languages whose kernels can save their state. */
export const languagesWithSnapshots: ReadonlySet<Language> = new Set(['python', 'bash', 'node']);

/** The languages in which a job can run. */
export const jobLanguageSchema = z.enum(['python', 'node', 'bun', 'bash']).meta({ id: 'JobLanguage' });

export type JobLanguage = z.infer<typeof jobLanguageSchema>;

/** Every language that a sandbox can have. */
export const codeLanguageSchema = z
  .string()
  .regex(new RegExp(`^(${languagePattern}|bun)$`), 'must be a language of contexts, or bun')
  .meta({ id: 'CodeLanguage' });

export type CodeLanguage = z.infer<typeof codeLanguageSchema>;

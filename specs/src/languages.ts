import * as z from 'zod';

/** The languages that have a kernel. JavaScript and TypeScript are both `node`. */
export const languageSchema = z.enum(['python', 'node', 'bash', 'ruby']).meta({ id: 'Language' });

export type Language = z.infer<typeof languageSchema>;

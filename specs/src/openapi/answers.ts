import { z } from 'zod';
import type { Answer } from './operation.ts';

/** The success answers that routes have in common. */
export const json = (description: string, schema: z.ZodType, example: unknown): Answer => ({
  description,
  content: { 'application/json': { schema, example } },
});

export const created = (description: string, schema: z.ZodType, example: unknown): Answer => ({
  ...json(description, schema, example),
  headers: z.object({ Location: z.string().meta({ description: 'Where the new thing is' }) }),
});

export const text = (description: string, contentType: string): Answer => ({
  description,
  content: { [contentType]: { schema: { type: 'string' } } },
});

export const nothing = (description: string): Answer => ({ description });

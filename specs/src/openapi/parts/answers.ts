import * as z from 'zod';
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

export const bytes = (description: string): Answer => ({
  description,
  content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
});

/** What a step wrote to a stream. */
export const output: Answer = {
  ...bytes('The bytes as they were written'),
  headers: z.object({
    'Holdfast-Output': z
      .enum(['whole', 'beginning'])
      .meta({ description: '`beginning` where the step still runs, or where there was no room for more' }),
  }),
};

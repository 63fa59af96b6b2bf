import * as z from 'zod';
import type { Answer } from './operation.ts';

/** The forms of success answers that operations share. */
export const json = (description: string, schema: z.ZodType, example: unknown): Answer => ({
  description,
  content: { 'application/json': { schema, example } },
});

export const created = (description: string, schema: z.ZodType, example: unknown): Answer => ({
  ...json(description, schema, example),
  headers: z.object({ Location: z.string().meta({ description: 'URL of the new resource' }) }),
});

/** As `created`, for what has a path. */
export const createdAtPath: typeof created = (description, schema, example) => ({
  ...json(description, schema, example),
  headers: z.object({
    Location: z.string().optional().meta({ description: 'URL of the new resource, if it is at most 2 KiB long' }),
  }),
});

/** The answer to a request that does not wait for the end. */
export const accepted: typeof created = (description, schema, example) => ({
  ...json(description, schema, example),
  headers: z.object({ Location: z.string().meta({ description: 'URL at which it can be read' }) }),
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

/** The output of a step on one stream. */
export const output: Answer = {
  ...bytes('The output, byte for byte'),
  headers: z.object({
    'Holdfast-Output': z
      .enum(['whole', 'beginning'])
      .meta({ description: '`beginning` if the step is still running, or if its output was too long to be stored' }),
  }),
};

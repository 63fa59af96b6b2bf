import * as z from 'zod';
import { text } from './values/storable.ts';

/** `code` is the text in an editor; `cursor` counts UTF-16 code units, as editors and JavaScript do. */
export const codeAtCursorSchema = z
  .strictObject({ code: text(1_048_576), cursor: z.number().int().min(0) })
  .refine(({ code, cursor }) => cursor <= code.length, {
    message: 'must not be beyond the end of the code',
    path: ['cursor'],
  })
  .meta({ id: 'CodeAtCursor' });
export type CodeAtCursor = z.infer<typeof codeAtCursorSchema>;

/** Texts that can replace the code between `start` and `end`, best first. */
export const completionsSchema = z
  .object({
    matches: z.array(z.object({ text: z.string().max(512), kind: z.string().max(32).nullable() })).max(1000),
    start: z.number().int().min(0),
    end: z.number().int().min(0),
  })
  .meta({ id: 'Completions' });
export type Completions = z.infer<typeof completionsSchema>;

/** A description of the name at the cursor: a MIME bundle with at least `text/plain`, or an empty one if nothing is found. */
export const inspectionSchema = z
  .object({ found: z.boolean(), data: z.record(z.string().max(256), z.string().max(1_048_576)) })
  .meta({ id: 'Inspection' });
export type Inspection = z.infer<typeof inspectionSchema>;

export const parseCodeSchema = z.strictObject({ code: text(1_048_576) }).meta({ id: 'ParseCode' });
export type ParseCode = z.infer<typeof parseCodeSchema>;

/** Whether code that is being typed can run. */
export const parsedCodeSchema = z
  .object({
    status: z.enum(['complete', 'incomplete', 'invalid', 'unknown']).meta({
      description:
        '`incomplete`: it may go on in further lines. `invalid`: no further line makes it right. `unknown`: the kernel cannot tell',
    }),
    indent: z
      .string()
      .max(1024)
      .meta({ description: 'If it is incomplete, the white space with which its next line may begin' }),
  })
  .meta({ id: 'ParsedCode' });
export type ParsedCode = z.infer<typeof parsedCodeSchema>;

import { changeSchema } from '@holdfast/specs/agent';
import {
  archiveFormatSchema,
  faultWords,
  invalidRequest,
  listDepthMax,
  Problem,
  sandboxPathSchema,
} from '@holdfast/specs/public';
import * as z from 'zod';

const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');

/** The query parameters of the file operations. */
export const fileQuery = {
  read: z.strictObject({ path: sandboxPathSchema, version: changeSchema.shape.version }),
  write: z.strictObject({ path: sandboxPathSchema }),
  delete: z.strictObject({ path: sandboxPathSchema, recursive: flag }),
  list: z.strictObject({
    path: sandboxPathSchema.default(''),
    depth: z.coerce.number().int().min(1).max(listDepthMax).default(1),
  }),
  stat: z.strictObject({ path: sandboxPathSchema.default('') }),
  digests: z.strictObject({
    after: z
      .string()
      .max(16_384)
      .regex(/^[\w-]*$/)
      .default(''),
    bytesMax: z.coerce.number().int().min(0),
  }),
  archive: z.strictObject({ path: sandboxPathSchema.default(''), format: archiveFormatSchema }),
};

/**
 * Parses a URL's query by its schema. A repeated parameter or text that is not percent-encoded UTF-8 is a fault.
 * @throws Problem `invalid-request` with all faults
 */
export function readQuery<Schema extends z.ZodType>(url: string | undefined, schema: Schema): z.infer<Schema> {
  const values = new Map<string, string | string[]>();
  for (const pair of (url ?? '').split('?').slice(1).join('?').split('&')) {
    if (pair === '') continue;
    const [name = '', ...value] = pair.split('=');
    const decoded = decode(value.join('='));
    const known = values.get(decode(name));
    values.set(decode(name), known === undefined ? decoded : [known, decoded].flat());
  }
  const parsed = schema.safeParse(Object.fromEntries(values), { error: faultWords });
  if (!parsed.success) throw invalidRequest(parsed.error, 'query');
  return parsed.data;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new Problem('invalid-request', { detail: 'the query is not percent-encoded UTF-8', cause });
  }
}

import { contextIdSchema, invalidRequest } from '@holdfast/specs/public';

/** @throws Problem `invalid-request` */
export function contextIdOf(text: string): string {
  const parsed = contextIdSchema.safeParse(text);
  if (!parsed.success) throw invalidRequest(parsed.error, 'path/contextId');
  return parsed.data;
}

import { contextIdSchema, faultWords, invalidRequest } from '@holdfast/specs/public';

/** @throws Problem `invalid-request` */
export function contextIdOf(text: string): string {
  const parsed = contextIdSchema.safeParse(text, { error: faultWords });
  if (!parsed.success) throw invalidRequest(parsed.error, 'path/contextId');
  return parsed.data;
}

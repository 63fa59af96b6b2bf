import * as z from 'zod';

/** The permissions of a file in octal digits, as `stat` shows them: those of its owner, its group and others. */
export const fileModeSchema = z
  .string()
  .regex(/^0[0-7]{3}$/)
  .meta({ example: '0644' });

/** The longest target that Linux can store. */
export const linkTargetBytesMax = 4095;

/** The target of a symbolic link. */
export const linkTargetSchema = z
  .string()
  .min(1)
  .max(linkTargetBytesMax)
  .refine(isLinkTarget, 'must be a path of at most 4,095 bytes')
  .meta({ example: '../data.csv' });

/** Whether Linux can store the text as the target of a link, and Postgres as text. */
export function isLinkTarget(text: string): boolean {
  return text !== '' && !text.includes('\0') && text.isWellFormed() && Buffer.byteLength(text) <= linkTargetBytesMax;
}

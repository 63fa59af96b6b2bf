import { type SQL, sql } from 'drizzle-orm';
import { worldFiles } from '../schema/world-files.ts';

/** The condition for the path and everything below it; the empty path is the workspace. Paths are ordered by bytes, and `0` follows `/`. */
export const pathAndBelow = (path: string): SQL =>
  path === ''
    ? sql`true`
    : sql`(${worldFiles.path} = ${path} or (${worldFiles.path} > ${`${path}/`} and ${worldFiles.path} < ${`${path}0`}))`;

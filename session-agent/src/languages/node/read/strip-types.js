import { stripTypeScriptTypes } from 'node:module';

/**
 * Leaves out the types of TypeScript and keeps all positions: `{code}`. Returns `{isUnsupported}` if that is not enough, as for an
 * enum, and null if the source is not TypeScript.
 */
export function stripTypes(source) {
  try {
    return { code: stripTypeScriptTypes(source) };
  } catch (error) {
    return error.code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' ? { isUnsupported: true } : null;
  }
}

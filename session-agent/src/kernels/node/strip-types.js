import { stripTypeScriptTypes } from 'node:module';

/** JavaScript from TypeScript, with lines and columns kept where stripping is enough; null where it is no TypeScript either. */
export function stripTypes(source) {
  try {
    return stripTypeScriptTypes(source);
  } catch (error) {
    if (error.code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return null;
  }
  try {
    return stripTypeScriptTypes(source, { mode: 'transform' });
  } catch {
    return null;
  }
}

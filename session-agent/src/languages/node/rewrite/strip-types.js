import { Buffer } from 'node:buffer';
import { stripTypeScriptTypes } from 'node:module';

const inlineMap = /\n*\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]+)\s*$/;

/**
 * Turns TypeScript into JavaScript. Returns `{code}` with the same lines and columns if stripping types is enough, else
 * `{code, map}` with a source map. Returns null if the source is not TypeScript either.
 */
export function stripTypes(source) {
  try {
    return { code: stripTypeScriptTypes(source) };
  } catch (error) {
    if (error.code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return null;
  }
  try {
    const transformed = stripTypeScriptTypes(source, { mode: 'transform', sourceMap: true });
    const [, map] = inlineMap.exec(transformed) ?? [];
    return { code: transformed.replace(inlineMap, ''), map: JSON.parse(Buffer.from(map, 'base64').toString()) };
  } catch {
    return null;
  }
}

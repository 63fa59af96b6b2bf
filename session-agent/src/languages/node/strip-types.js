import { Buffer } from 'node:buffer';
import { stripTypeScriptTypes } from 'node:module';

const inlineMap = /\n*\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]+)\s*$/;

/**
 * JavaScript from TypeScript: `{code}` with lines and columns kept where stripping is enough, else `{code, map}` with a
 * source map; null where it is no TypeScript either.
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

import { extname } from 'node:path';
import mime from 'mime';

/** Source files for which the library knows no type, or that of another kind of file. */
const sources: ReadonlyMap<string, string> = new Map([
  ...['.py', '.pyi'].map((extension) => [extension, 'text/x-python'] as const),
  ...['.ts', '.mts', '.cts', '.tsx'].map((extension) => [extension, 'text/x-typescript'] as const),
]);

/** The media type that a file's extension implies. Text counts as UTF-8; an unknown extension means plain bytes. Pure. */
export function mimeType(path: string): string {
  const extension = extname(path);
  const type = sources.get(extension.toLowerCase()) ?? mime.getType(extension) ?? 'application/octet-stream';
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

import { extname } from 'node:path';
import mime from 'mime';

/** The media type that a file's extension implies. Text counts as UTF-8; an unknown extension means plain bytes. Pure. */
export function mimeType(path: string): string {
  const type = mime.getType(extname(path)) ?? 'application/octet-stream';
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

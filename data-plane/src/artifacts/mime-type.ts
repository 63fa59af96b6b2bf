import { extname } from 'node:path';
import mime from 'mime';

/** What a file's name says of its content, as a media type. Text counts as UTF-8, what is not known as bytes. Pure. */
export function mimeType(path: string): string {
  const type = mime.getType(extname(path)) ?? 'application/octet-stream';
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

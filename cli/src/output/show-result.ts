import { note } from './progress.ts';
import { showImage } from './show-image.ts';
import { write } from './write.ts';

/** The content of a result by its MIME types, as Jupyter has it. */
export type MimeBundle = Record<string, unknown>;

/** Shows a result: an image if the terminal can, or as a file, and else the text of it. */
export async function showResult(data: MimeBundle): Promise<void> {
  const { stdout } = process;
  const text = textOf(data);
  const image = imageOf(data);
  if (image && (await showImage(image))) return;
  if (text !== undefined) return await write(stdout, text.endsWith('\n') ? text : `${text}\n`);
  if (!image) note(`the result has no text; it has ${Object.keys(data).join(', ')}`);
}

function textOf(data: MimeBundle): string | undefined {
  for (const type of ['text/plain', 'text/markdown', 'text/latex']) {
    const value = data[type];
    if (typeof value === 'string') return value;
  }
  const json = data['application/json'];
  return json === undefined ? undefined : JSON.stringify(json, null, 2);
}

function imageOf(data: MimeBundle) {
  for (const type of ['image/png', 'image/jpeg', 'image/gif', 'image/svg+xml'] as const) {
    const value = data[type];
    if (typeof value === 'string') {
      return { type, bytes: Buffer.from(value, type === 'image/svg+xml' ? 'utf8' : 'base64') };
    }
  }
  return undefined;
}

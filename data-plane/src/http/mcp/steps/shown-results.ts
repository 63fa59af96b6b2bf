import type { Result } from '@holdfast/specs/public';
import { imageTypeOf, imageTypes } from './image-type.ts';

const imagesMax = 8;
/** In characters of base64: of one image, and of all images of a step. */
const imageLengthMax = 4 * 2 ** 20;
const imagesLengthMax = 6 * 2 ** 20;

type Image = { data: string; mimeType: string };

/** The images among the results, and the number of those that are too large or too many. Pure. */
export function imagesOf(results: readonly Result[]): { images: Image[]; omitted: number } {
  const found = results.flatMap(({ data }) => imageIn(data) ?? []);
  const images: Image[] = [];
  let length = 0;
  for (const image of found) {
    if (images.length === imagesMax || image.data.length > imageLengthMax) continue;
    if (length + image.data.length > imagesLengthMax) continue;
    length += image.data.length;
    images.push(image);
  }
  return { images, omitted: found.length - images.length };
}

function imageIn(data: Result['data']): Image | null {
  for (const named of imageTypes) {
    const image = data[named];
    if (typeof image !== 'string') continue;
    // Kernels break base64 into lines. Code may have made anything, and clients refuse a whole answer for what is not base64.
    const bytes = image.replaceAll(/\s/g, '');
    const mimeType = isBase64(bytes) && imageTypeOf(Buffer.from(bytes.slice(0, headLength), 'base64'));
    if (mimeType) return { data: bytes, mimeType };
  }
  return null;
}

/** In characters of base64: so much of an image says its type. */
const headLength = 16;

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);

/** The results as text, each in the form that says most to a model. Pure. */
export function textOf(results: readonly Result[]): string {
  return results
    .map(({ data }) => plainText(data))
    .filter(Boolean)
    .join('\n');
}

const textTypes = ['text/plain', 'text/markdown', 'text/html', 'text/latex', 'image/svg+xml'];

function plainText(data: Result['data']): string {
  for (const type of textTypes) if (typeof data[type] === 'string') return data[type];
  const json = data['application/json'];
  return json === undefined ? '' : JSON.stringify(json);
}

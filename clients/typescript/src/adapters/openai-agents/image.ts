import type { ToolOutputImage } from '@openai/agents';

/** @throws Error for a file that is not an image a model can see */
export function imageOf(bytes: Uint8Array<ArrayBuffer>, path: string): ToolOutputImage {
  const mediaType = signatures.find(({ at, text }) => latin1(bytes, at, text.length) === text)?.mediaType;
  if (!mediaType) throw new Error(`unsupported image format: ${path}`);
  return { type: 'image', image: { data: bytes, mediaType } };
}

const signatures = [
  { at: 0, text: '\x89PNG\r\n\x1a\n', mediaType: 'image/png' },
  { at: 0, text: '\xff\xd8\xff', mediaType: 'image/jpeg' },
  { at: 0, text: 'GIF8', mediaType: 'image/gif' },
  { at: 8, text: 'WEBP', mediaType: 'image/webp' },
];

const latin1 = (bytes: Uint8Array, at: number, length: number) =>
  String.fromCharCode(...bytes.subarray(at, at + length));

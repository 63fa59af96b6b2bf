import type { Result } from '@holdfast/specs/public';

type Bundle = Pick<Result, 'data' | 'metadata'>;
type Size = { width: number; height: number };

/** The bundle with the width and the height of its images in pixels, unless its metadata has them. Pure. */
export function withImageSizes<Given extends Bundle>(bundle: Given): Given {
  let { metadata } = bundle;
  for (const [type, sizeIn] of readers) {
    const image = bundle.data[type];
    if (typeof image !== 'string') continue;
    const size = sizeIn(image);
    const given = metadata[type] ?? {};
    if (size && typeof given === 'object' && !Array.isArray(given))
      metadata = { ...metadata, [type]: { ...size, ...given } };
  }
  return metadata === bundle.metadata ? bundle : { ...bundle, metadata };
}

/** The header of a PNG begins with its signature, and ends with width and height in four bytes each (PNG specification, 5.2 and 11.2.1). */
function sizeOfPng(base64: string): Size | null {
  const bytes = Buffer.from(base64.slice(0, 32), 'base64');
  if (bytes.length < 24 || bytes.readUInt32BE(0) !== 0x89504e47 || bytes.readUInt32BE(4) !== 0x0d0a1a0a) return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** A JPEG has its size in the first segment that starts a frame (ITU-T T.81, B.2.2), which stands near its beginning. */
function sizeOfJpeg(base64: string): Size | null {
  const bytes = Buffer.from(base64.slice(0, 131_072), 'base64');
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    if (isStartOfFrame(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

const isStartOfFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

const readers = [
  ['image/png', sizeOfPng],
  ['image/jpeg', sizeOfJpeg],
] as const;

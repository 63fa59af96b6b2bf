/** Images that models can look at. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

type ImageType = (typeof imageTypes)[number];

/** The bytes with which such an image begins, in hex (WHATWG MIME Sniffing, 6.1). WebP has its length between them. */
const beginnings: Record<ImageType, RegExp> = {
  'image/png': /^89504e470d0a1a0a/,
  'image/jpeg': /^ffd8ff/,
  'image/gif': /^474946383[79]61/,
  'image/webp': /^52494646.{8}57454250/,
};

/**
 * The type of an image by its first 12 bytes, or null if models cannot look at it. The name of a file, or the word of the code that made it,
 * is not enough: services of models refuse a whole conversation for an image of another type than it is said to have. Pure.
 */
export function imageTypeOf(bytes: Buffer): ImageType | null {
  const beginning = bytes.toString('hex', 0, 12);
  return imageTypes.find((type) => beginnings[type].test(beginning)) ?? null;
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '../environment.ts';
import { note } from './progress.ts';
import { write } from './write.ts';

export type Image = { type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/svg+xml'; bytes: Buffer };

const keepImageFile = createImageFiles(100, 100 * 1024 * 1024);

/** Shows the image in the terminal, or tells the path of a file with it. Answers whether it is on the screen. */
export async function showImage(image: Image): Promise<boolean> {
  const drawn = process.stdout.isTTY ? drawing(image, readEnvironment().terminal) : undefined;
  if (drawn) {
    await write(process.stdout, `${drawn}\n`);
    return true;
  }
  note(`image: ${await keepImageFile(image)}`);
  return false;
}

/** Writes images into a folder of this program, and deletes the oldest ones beyond so many, or so many bytes. */
export function createImageFiles(countMax: number, bytesMax: number): (image: Image) => Promise<string> {
  const kept: { path: string; bytes: number }[] = [];
  let folder: Promise<string> | undefined;
  let count = 0;
  let keptBytes = 0;
  return async ({ type, bytes }) => {
    folder ??= mkdtemp(join(tmpdir(), 'holdfast-'));
    const extension = type.slice('image/'.length).replace('+xml', '');
    const path = join(await folder, `image-${++count}.${extension}`);
    await writeFile(path, bytes);
    kept.push({ path, bytes: bytes.length });
    keptBytes += bytes.length;
    while (kept.length > countMax || (keptBytes > bytesMax && kept.length > 1)) {
      const oldest = kept.shift();
      if (!oldest) break;
      keptBytes -= oldest.bytes;
      await rm(oldest.path, { force: true });
    }
    return path;
  };
}

type Terminal = { name: string; program: string };

/** The characters that draw an image, if the terminal has a protocol for it. */
export function drawing({ type, bytes }: Image, { name, program }: Terminal): string | undefined {
  if (type === 'image/svg+xml') return undefined;
  // Base64 made here: that of the sandbox could hold anything.
  const content = bytes.toString('base64');
  if (program === 'iTerm.app' || program === 'WezTerm') {
    return `\u001b]1337;File=inline=1;size=${bytes.length}:${content}\u0007`;
  }
  if (type === 'image/png' && (name === 'xterm-kitty' || name === 'xterm-ghostty')) return kittyDrawing(content);
  return undefined;
}

const kittyPieceMax = 4096;

/** The protocol of kitty takes pieces, all but the last of which say that more is to come. */
function kittyDrawing(content: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < content.length || at === 0; at += kittyPieceMax) {
    const control = `${at === 0 ? 'a=T,f=100,' : ''}m=${at + kittyPieceMax < content.length ? 1 : 0}`;
    pieces.push(`\u001b_G${control};${content.slice(at, at + kittyPieceMax)}\u001b\\`);
  }
  return pieces.join('');
}

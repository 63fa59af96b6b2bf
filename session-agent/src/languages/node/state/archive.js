import { close, open, readFileSync, write } from 'node:fs';
import { TextDecoder, TextEncoder } from 'node:util';
import { ownMethods } from '../realm/own-methods.js';

const end = 'hfsnap1\n';
const manifestDigits = 10;
const lengthBytes = 4;

/** The archive: the length of the head (big-endian), the head as JSON, the blobs one behind the other, the manifest, and the end. */
export function archiveParts(head, blobs, manifest) {
  const encoder = ownMethods(new TextEncoder());
  const encodedHead = encoder.encode(JSON.stringify({ ...head, blobs: blobs.map(({ length }) => length) }));
  const length = new Uint8Array(lengthBytes);
  new DataView(length.buffer).setUint32(0, encodedHead.length);
  const encodedManifest = encoder.encode(JSON.stringify(manifest, wellFormed));
  const footer = encoder.encode(`${String(encodedManifest.length).padStart(manifestDigits, '0')}${end}`);
  return [length, encodedHead, ...blobs, encodedManifest, footer];
}

/** Stands in the place of an archive, and says why there is none. */
export function failureParts(error) {
  const reason = String(error?.message ?? error)
    .replaceAll('\n', ' ')
    .slice(0, 500);
  return [ownMethods(new TextEncoder()).encode(`failed: ${reason}\n`)];
}

/** Writes the parts to a FIFO. An agent that stops reading has no use for the rest. */
export function writeArchive(path, parts, done) {
  open(path, 'w', (error, fd) => {
    if (error) return done();
    const finish = () => close(fd, () => done());
    const writeFrom = (part, at) => {
      if (part === parts.length) return finish();
      if (at === parts[part].length) return writeFrom(part + 1, 0);
      write(fd, parts[part], at, parts[part].length - at, null, (failure, written) =>
        failure ? finish() : writeFrom(part, at + written),
      );
    };
    writeFrom(0, 0);
  });
}

/** Returns `{head, blobs, manifest}`. Throws if the archive is broken. */
export function readArchive(path) {
  const bytes = new Uint8Array(readFileSync(path));
  const decoder = ownMethods(new TextDecoder());
  const footerBytes = manifestDigits + end.length;
  const footer = decoder.decode(bytes.subarray(-footerBytes));
  if (!footer.endsWith(end)) throw new Error('its end is missing');
  const manifestEnd = bytes.length - footerBytes;
  const headEnd = lengthBytes + new DataView(bytes.buffer).getUint32(0);
  const head = JSON.parse(decoder.decode(bytes.subarray(lengthBytes, headEnd)));
  const manifestStart = manifestEnd - Number(footer.slice(0, manifestDigits));
  const manifest = JSON.parse(decoder.decode(bytes.subarray(manifestStart, manifestEnd)));
  const blobs = [];
  let from = headEnd;
  for (const length of head.blobs) {
    blobs.push(bytes.slice(from, from + length));
    from += length;
  }
  if (from !== manifestStart) throw new Error('a part of it is missing');
  return { head, blobs, manifest };
}

function wellFormed(_key, value) {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

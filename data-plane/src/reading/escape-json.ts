import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';

/** Writes a text that comes in pieces of bytes as it stands between the quotes of a JSON string. Bytes that are not UTF-8 become U+FFFD. */
export function createJsonEscaper(): { write(bytes: Buffer): Buffer; end(): Buffer } {
  // As long as each piece is whole in itself, nothing has to be decoded, which would cost three times as much.
  let decoder: StringDecoder | null = null;
  return {
    write(bytes) {
      if (!decoder && isUtf8(bytes)) return escapeJson(bytes);
      decoder ??= new StringDecoder();
      return escapeJson(Buffer.from(decoder.write(bytes)));
    },
    end: () => escapeJson(Buffer.from(decoder?.end() ?? '')),
  };
}

/** How many bytes are escaped at once. Each can become six. */
const stretchBytes = 16 * 1024;
const stretch = new DataView(new ArrayBuffer(6 * stretchBytes));

/** Escapes UTF-8 (RFC 8259, section 7), with the same result as `JSON.stringify`. */
function escapeJson(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += stretchBytes) {
    const length = escapeStretch(bytes.subarray(at, at + stretchBytes));
    parts.push(Buffer.from(new Uint8Array(stretch.buffer, 0, length)));
  }
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

/** Fills `stretch` and returns the number of bytes. Four bytes at a time are copied if none of them has to be escaped. */
function escapeStretch({ buffer, byteOffset, length }: Buffer): number {
  const from = new DataView(buffer, byteOffset, length);
  let to = 0;
  for (let at = 0; at < length; ) {
    if (at + 4 <= length) {
      const four = from.getInt32(at, true);
      if (isPlain(four)) {
        stretch.setInt32(to, four, true);
        at += 4;
        to += 4;
        continue;
      }
    }
    const byte = from.getUint8(at++);
    const letter = byte < 0x80 ? (letters[byte] as number) : 0;
    if (letter === 0) stretch.setUint8(to++, byte);
    else {
      stretch.setUint16(to, 0x5c00 | letter);
      to += 2;
      if (letter !== letterU) continue;
      // Every character that is written as a number is below 0x20.
      stretch.setUint16(to, 0x3030);
      stretch.setUint8(to + 2, 0x30 | (byte >> 4));
      stretch.setUint8(to + 3, hexDigits.charCodeAt(byte & 15));
      to += 4;
    }
  }
  return to;
}

/** Whether none of four bytes is a control character, a quote or a backslash. In each term the highest bit of a byte says whether it is. */
function isPlain(four: number): boolean {
  const quotes = four ^ 0x22222222;
  const backslashes = four ^ 0x5c5c5c5c;
  const controls = (four - 0x20202020) & ~four;
  const zeros = ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes);
  return ((controls | zeros) & 0x80808080) === 0;
}

const hexDigits = '0123456789abcdef';
const letterU = 0x75;

/** The letter behind the backslash for each character of ASCII that is escaped, and 0 for the others. */
const letters = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const escaped = JSON.stringify(String.fromCharCode(code)).slice(1, -1);
  return escaped.length > 1 ? escaped.charCodeAt(1) : 0;
});

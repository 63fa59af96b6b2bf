import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';

type JsonEscaper = {
  /** The next bytes. Those in which nothing has to be escaped are not copied. */
  write(bytes: Buffer): Buffer[];
  end(): Buffer[];
};

/** Writes a text that comes in pieces of bytes as it stands between the quotes of a JSON string. Bytes that are not UTF-8 become U+FFFD. */
export function createJsonEscaper(): JsonEscaper {
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
const stretchBytes = 64 * 1024;
const stretch = Buffer.alloc(6 * stretchBytes);
const into = new DataView(stretch.buffer, stretch.byteOffset, stretch.length);

/** Escapes UTF-8 (RFC 8259, section 7), with the same result as `JSON.stringify`. */
function escapeJson(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += stretchBytes) {
    const part = bytes.subarray(at, at + stretchBytes);
    parts.push(isPlain(part) ? part : escapeStretch(part));
  }
  return parts;
}

/** Whether nothing has to be escaped. */
function isPlain({ buffer, byteOffset, length }: Buffer): boolean {
  const from = new DataView(buffer, byteOffset, length);
  let at = 0;
  for (; at + 16 <= length; at += 16) {
    const first = specials(from.getInt32(at, true)) | specials(from.getInt32(at + 4, true));
    const second = specials(from.getInt32(at + 8, true)) | specials(from.getInt32(at + 12, true));
    if ((first | second) !== 0) return false;
  }
  for (; at < length; at++) if (letters[from.getUint8(at)] !== 0) return false;
  return true;
}

/** Four bytes at a time are copied if none of them has to be escaped. */
function escapeStretch(bytes: Buffer): Buffer {
  const { length } = bytes;
  const from = new DataView(bytes.buffer, bytes.byteOffset, length);
  let at = 0;
  let to = 0;
  for (; at + 4 <= length; at += 4) {
    const four = from.getInt32(at, true);
    if (specials(four) === 0) {
      into.setInt32(to, four, true);
      to += 4;
    } else {
      // A loop over the four takes twice as long.
      to = escapeByte(bytes[at] as number, to);
      to = escapeByte(bytes[at + 1] as number, to);
      to = escapeByte(bytes[at + 2] as number, to);
      to = escapeByte(bytes[at + 3] as number, to);
    }
  }
  for (; at < length; at++) to = escapeByte(bytes[at] as number, to);
  const escaped = Buffer.allocUnsafeSlow(to);
  stretch.copy(escaped, 0, 0, to);
  return escaped;
}

/** The highest bit of each byte that is a control character, a quote or a backslash. */
function specials(four: number): number {
  const quotes = four ^ 0x22222222;
  const backslashes = four ^ 0x5c5c5c5c;
  const controls = (four - 0x20202020) & ~four;
  const zeros = ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes);
  return (controls | zeros) & 0x80808080;
}

/** Writes one byte to `stretch` and returns the place after it. */
function escapeByte(byte: number, to: number): number {
  const letter = letters[byte] as number;
  if (letter === 0) {
    stretch[to] = byte;
    return to + 1;
  }
  stretch[to] = 0x5c;
  stretch[to + 1] = letter;
  if (letter !== letterU) return to + 2;
  // Every character that is written as a number is below 0x20.
  stretch[to + 2] = 0x30;
  stretch[to + 3] = 0x30;
  stretch[to + 4] = 0x30 | (byte >> 4);
  stretch[to + 5] = hexDigits.charCodeAt(byte & 15);
  return to + 6;
}

const hexDigits = '0123456789abcdef';
const letterU = 0x75;

/** The letter behind the backslash for each byte that is escaped, and 0 for the others. */
const letters = Uint8Array.from({ length: 0x100 }, (_, code) => {
  if (code >= 0x80) return 0;
  const escaped = JSON.stringify(String.fromCharCode(code)).slice(1, -1);
  return escaped.length > 1 ? escaped.charCodeAt(1) : 0;
});

import { type KernelMessage, type KernelRequest, kernelMessageBytesMax } from '@holdfast/specs/kernel';
import { parseMessage } from './parse-message.ts';

const lengthBytes = 4;

/** One request as one buffer: four bytes of length (big-endian), then JSON. */
export function encodeRequest(request: KernelRequest): Buffer {
  const json = JSON.stringify(request);
  const length = Buffer.byteLength(json);
  const buffer = Buffer.allocUnsafe(lengthBytes + length);
  buffer.writeUInt32BE(length, 0);
  buffer.write(json, lengthBytes);
  return buffer;
}

/**
 * Cuts what a kernel sends into messages: give it chunks, it calls back with each message that is complete and valid.
 * A result, an answer about code or background output that is not valid is dropped.
 * @throws Error naming the fault on a message that is too long, no JSON or none of the schema's.
 */
export function messageReader(onMessage: (message: KernelMessage) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let wanted = lengthBytes;
  return (chunk) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < wanted) return;
    const buffer = chunks.length === 1 ? chunk : Buffer.concat(chunks, bytes);
    let offset = 0;
    wanted = lengthBytes;
    while (buffer.length - offset >= lengthBytes) {
      const length = buffer.readUInt32BE(offset);
      if (length > kernelMessageBytesMax) throw new Error(`a message of ${length} bytes is over the limit`);
      const end = offset + lengthBytes + length;
      if (end > buffer.length) {
        wanted = lengthBytes + length;
        break;
      }
      const message = parseMessage(buffer.toString('utf8', offset + lengthBytes, end));
      if (message) onMessage(message);
      offset = end;
    }
    bytes = buffer.length - offset;
    chunks = bytes > 0 ? [buffer.subarray(offset)] : [];
  };
}

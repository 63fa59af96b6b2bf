import { readUint32, writeUint32 } from '@holdfast/specs/agent';
import { type KernelRequest, kernelMessageBytesMax } from '@holdfast/specs/kernel';
import { parseMessage, type ReceivedMessage } from './parse-message.ts';

const lengthBytes = 4;

/** Encodes a request: four bytes of length (big-endian), then JSON. */
export function encodeRequest(request: KernelRequest): Buffer {
  const json = JSON.stringify(request);
  const length = Buffer.byteLength(json);
  const buffer = Buffer.allocUnsafe(lengthBytes + length);
  writeUint32(buffer, 0, length);
  buffer.write(json, lengthBytes);
  return buffer;
}

/**
 * Returns a function that takes the bytes of a kernel, in chunks of any size, and calls `onMessage` for each complete message. It drops
 * an invalid result, answer about code or background output.
 * @throws Error that names the fault if a message is too long, is not JSON or does not match the schema
 */
export function createMessageReader(onMessage: (message: ReceivedMessage) => void): (chunk: Buffer) => void {
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
      const length = readUint32(buffer, offset);
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

import {
  type KernelMessage,
  type KernelRequest,
  kernelMessageBytesMax,
  kernelMessageSchema,
  symbolSchema,
} from '@holdfast/specs';

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
 * A result that is not valid is dropped.
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

/** Null for a result that is none of the schema's: what a value shows of itself must not cost the context's memory. */
function parseMessage(json: string): KernelMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Error('a message is not JSON');
  }
  // `safeParse` itself throws where the nesting is deeper than the stack.
  const parsed = kernelMessageSchema.safeParse(withoutBadSymbols(value));
  if (parsed.success) return parsed.data;
  if (isResult(value)) return null;
  const issue = parsed.error.issues[0];
  throw new Error(`a message is not valid: ${issue?.path.join('.')} ${issue?.message}`);
}

function isResult(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'result';
}

/** Leaves out symbols that are none of the schema's: to look at a context must not cost its memory. */
function withoutBadSymbols(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('symbols' in value)) return value;
  const { symbols } = value;
  if (!Array.isArray(symbols)) return value;
  return { ...value, symbols: symbols.filter((symbol) => symbolSchema.safeParse(symbol).success) };
}

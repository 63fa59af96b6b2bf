/** A message of a Jupyter kernel, as far as a client of steps needs it. */
export type KernelMessage = {
  channel: string;
  type: string;
  /** The id of the request that it answers. */
  parentId: string | null;
  content: Buffer;
};

type Request = { channel: 'shell' | 'control'; id: string; type: string; session: string; content: object };

/**
 * A request in the WebSocket protocol `v1.kernel.websocket.jupyter.org`, which JupyterLab uses: the number of offsets, the offsets (64 bits
 * each, little-endian), then the channel and the parts of the message, as the kernel itself sends them. Pure.
 */
export function encodeRequest({ channel, id, type, session, content }: Request): Buffer {
  const header = { msg_id: id, msg_type: type, session, username: 'bench', date: '', version: '5.3' };
  const parts = [channel, ...[header, {}, {}, content].map((part) => JSON.stringify(part))].map((part) =>
    Buffer.from(part),
  );
  const offsets = Buffer.alloc(8 * (parts.length + 2));
  offsets.writeBigUInt64LE(BigInt(parts.length + 1));
  let end = offsets.length;
  for (const [i, part] of [...parts, Buffer.alloc(0)].entries()) {
    offsets.writeBigUInt64LE(BigInt(end), 8 * (i + 1));
    end += part.length;
  }
  return Buffer.concat([offsets, ...parts]);
}

/** Reads a message of that protocol. Its content stays bytes, since most messages are only counted. Pure. */
export function decodeMessage(bytes: Buffer): KernelMessage {
  const offsets = Array.from({ length: Number(bytes.readBigUInt64LE()) }, (_, i) =>
    Number(bytes.readBigUInt64LE(8 * (i + 1))),
  );
  const part = (i: number) => bytes.subarray(offsets[i], offsets[i + 1]);
  return {
    channel: part(0).toString(),
    type: JSON.parse(part(1).toString()).msg_type,
    parentId: JSON.parse(part(2).toString()).msg_id ?? null,
    content: part(4),
  };
}

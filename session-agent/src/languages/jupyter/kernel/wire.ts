import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';

const delimiter = '<IDS|MSG>';
const protocolVersion = '5.4';

/** A message of a kernel. `parentId` is the id of the request that it belongs to. */
export type JupyterMessage = { type: string; parentId: string | null; content: unknown };

const headerSchema = z.object({ msg_type: z.string() });
const parentSchema = z.object({ msg_id: z.string() });

/** Encodes and signs messages, and checks and decodes those of the kernel (Jupyter's messaging protocol, "The Wire Protocol"). */
export function createWire({ key, session }: { key: string; session: string }) {
  const sign = (frames: readonly Buffer[]) => {
    const hmac = createHmac('sha256', key);
    for (const frame of frames) hmac.update(frame);
    return hmac.digest('hex');
  };
  return {
    encode(type: string, content: unknown, parent: unknown = {}): { id: string; frames: Buffer[] } {
      const id = randomUUID();
      const date = new Date().toISOString();
      const header = { msg_id: id, session, username: 'holdfast', date, msg_type: type, version: protocolVersion };
      const body = [header, parent, {}, content].map((part) => Buffer.from(JSON.stringify(part)));
      return { id, frames: [Buffer.from(delimiter), Buffer.from(sign(body)), ...body] };
    },
    /** Null for a message that is not signed with the key, or is none. */
    decode(frames: readonly Buffer[]): JupyterMessage | null {
      const at = frames.findIndex((frame) => frame.equals(delimiterBytes));
      const [signature, ...body] = at < 0 ? [] : frames.slice(at + 1, at + 6);
      if (!signature || body.length < 4 || !equals(signature, Buffer.from(sign(body)))) return null;
      try {
        const [header, parent, , content] = body.map((part) => JSON.parse(part.toString('utf8')));
        const { msg_type: type } = headerSchema.parse(header);
        return { type, parentId: parentSchema.safeParse(parent).data?.msg_id ?? null, content };
      } catch {
        return null;
      }
    },
  };
}

const delimiterBytes = Buffer.from(delimiter);

const equals = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other);

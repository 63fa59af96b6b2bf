import type { Connection } from './connect.ts';

export type Replies = ReturnType<typeof createReplies>;

/** Asks the kernel on its shell channel, and matches each reply to its question. The kernel answers one question after the other. */
export function createReplies({ shell }: Pick<Connection, 'shell'>) {
  const pending = new Map<string, (content: unknown) => void>();
  shell.on(({ parentId, content }) => {
    const resolve = parentId === null ? undefined : pending.get(parentId);
    if (parentId === null || !resolve) return;
    pending.delete(parentId);
    resolve(content);
  });
  return {
    request(type: string, content: unknown): { id: string; reply: Promise<unknown> } {
      const id = shell.send(type, content);
      return { id, reply: new Promise((resolve) => pending.set(id, resolve)) };
    },
  };
}

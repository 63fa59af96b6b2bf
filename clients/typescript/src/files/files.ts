import type { FileEntry, FileEvent, FileLink, FileStat, WrittenFile } from '../generated/api.ts';
import { answerOf, type CallOptions, type Connection, eventStream } from '../http/create-api.ts';
import { endedWith } from '../http/ended-with.ts';
import { connectionBroke, errorOfProblem, HoldfastError, isRefusal } from '../http/holdfast-error.ts';
import { readEvents } from '../http/read-events.ts';
import type { Content } from '../http/repeating-fetch.ts';
import { readFile } from './read-file.ts';

/** The content of a file to write. A stream is sent as it comes. */
export type FileContent = Content;

/** The condition under which a file is written. */
export type WriteOptions = CallOptions & {
  /** Fails with `precondition-failed` if something is at the path already. */
  ifAbsent?: boolean | undefined;
  /** Replaces the file only if it has this SHA-256, which `write` and `stat` answer. */
  ifSha256?: string | undefined;
};

/** The files of a session. Paths are relative to its workspace, or absolute. */
export type Files = ReturnType<typeof createFiles>;

export function createFiles(connection: Connection, sessionId: string) {
  const { api } = connection;
  const session = { sessionId };
  const read = (path: string, options?: CallOptions) => readFile(connection, { sessionId, path }, options);
  return {
    /** The bytes of a file as they arrive. A connection that breaks is taken up again at the byte it broke at. */
    stream: read,

    /** The whole file. */
    async read(path: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>> {
      return new Uint8Array(await new Response(await read(path, options)).arrayBuffer());
    },

    /** The whole file as UTF-8. */
    async readText(path: string, options?: CallOptions): Promise<string> {
      return await new Response(await read(path, options)).text();
    },

    /** Replaces a file as a whole, or not at all, and makes missing directories. A stream is sent as it comes, and only once. */
    async write(
      path: string,
      content: FileContent,
      { signal, ifAbsent, ifSha256 }: WriteOptions = {},
    ): Promise<WrittenFile> {
      const header = {
        ...(ifAbsent && { 'If-None-Match': '*' }),
        ...(ifSha256 && { 'If-Match': `"${ifSha256}"` }),
      };
      return await answerOf(
        api.PUT('/v1/sessions/{sessionId}/files/{path}', {
          params: { path: { ...session, path }, header },
          headers: { 'Content-Type': 'application/octet-stream' },
          body: '',
          bodySerializer: () => undefined,
          fetch: connection.fetchWith(content),
          ...(signal && { signal }),
        }),
      );
    },

    /** The entries of a directory; `depth` levels of them. `truncated`: some are missing, since there are too many. */
    async list(
      path = '',
      { depth, signal }: CallOptions & { depth?: number } = {},
    ): Promise<FileEntry[] & { truncated: boolean }> {
      const query = { ...(path && { path }), ...(depth && { depth }) };
      const call = api.GET('/v1/sessions/{sessionId}/files', {
        params: { path: session, query },
        ...(signal && { signal }),
      });
      const { items, truncated } = await answerOf(call);
      return Object.assign(items, { truncated });
    },

    /** Describes a path; null if nothing is there. */
    async stat(path: string, { signal }: CallOptions = {}): Promise<FileStat | null> {
      const params = { path: session, query: { path } };
      try {
        return await answerOf(api.GET('/v1/sessions/{sessionId}/stat', { params, ...(signal && { signal }) }));
      } catch (error) {
        if (isRefusal(error, 'not-found') && !error.detail?.startsWith(`session ${sessionId} `)) return null;
        throw error;
      }
    },

    /** Deletes a file or a link, or with `recursive` a directory and everything in it. */
    async delete(path: string, { recursive, signal }: CallOptions & { recursive?: boolean } = {}): Promise<void> {
      const query = recursive ? { recursive: 'true' as const } : {};
      await api.DELETE('/v1/sessions/{sessionId}/files/{path}', {
        params: { path: { ...session, path }, query },
        ...(signal && { signal }),
      });
    },

    /** Gives a file or a directory another path. */
    async move(
      from: string,
      to: string,
      { overwrite, signal }: CallOptions & { overwrite?: boolean } = {},
    ): Promise<void> {
      const body = { from, to, ...(overwrite && { overwrite }) };
      await api.POST('/v1/sessions/{sessionId}/move', { params: { path: session }, body, ...(signal && { signal }) });
    },

    /** Makes a directory and those above it; nothing changes if it is there. */
    async makeDirectory(path: string, { signal }: CallOptions = {}): Promise<void> {
      await api.POST('/v1/sessions/{sessionId}/directories', {
        params: { path: session },
        body: { path },
        ...(signal && { signal }),
      });
    },

    /** A URL with which anyone reads or writes this one file without a key, until it expires. */
    async link(
      path: string,
      operation: 'read' | 'write',
      expiresSeconds: number,
      { signal }: CallOptions = {},
    ): Promise<FileLink> {
      const link = await answerOf(
        api.POST('/v1/sessions/{sessionId}/files/links', {
          params: { path: session },
          body: { path, operation, expiresSeconds },
          ...(signal && { signal }),
        }),
      );
      // The server does not know by which address its clients reach it.
      return { ...link, url: connection.url + link.url };
    },

    /**
     * Changes below a path as they happen. The first event is `ready`: list the files then, and again after each `overflow`. A watch has no
     * memory, so it ends when its connection breaks.
     */
    async *watch(
      path = '',
      { recursive, signal }: CallOptions & { recursive?: boolean } = {},
    ): AsyncGenerator<FileEvent, void, undefined> {
      const stop = endedWith(signal);
      try {
        const query = { path, ...(recursive && { recursive: 'true' as const }) };
        const params = { path: session, query };
        const options = { params, parseAs: 'stream', headers: eventStream, signal: stop.signal } as const;
        const { data } = await api.GET('/v1/sessions/{sessionId}/files/events', options);
        for await (const { type, data: text } of readEvents(data as unknown as ReadableStream<Uint8Array>, stop)) {
          if (type === 'problem') throw errorOfProblem(JSON.parse(text));
          yield JSON.parse(text) as FileEvent;
        }
        signal?.throwIfAborted();
      } catch (error) {
        signal?.throwIfAborted();
        throw error instanceof HoldfastError ? error : connectionBroke(error);
      } finally {
        stop.end();
      }
    },
  };
}

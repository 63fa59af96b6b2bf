import type { ArchiveFormat, FileList, MoveFile, UnpackedArchive, WrittenFile } from '@holdfast/specs';
import type { Caller } from './verbs.ts';

type OfSession = { caller: Caller; sessionId: string };
type OfPath = OfSession & { path: string };
/** Conditions and the like as the client sent them, by their names in lower case. */
type Conditional = OfPath & { headers: Record<string, string> };
/** `size` is what the body announces to have, in bytes. */
type Upload = { body: AsyncIterable<Uint8Array>; size?: number | undefined };

/** Paths are relative to the workspace, as `workspacePath` writes them. */
export type FileVerbs = {
  listFiles(input: OfPath & { depth: number }): Promise<FileList>;
  /** Resolves once all was given to `onChunk`; where that returns a promise, the rest waits for it. */
  readFile(input: Conditional & AnswerSink): Promise<void>;
  putFile(input: Conditional & Upload): Promise<WrittenFile & { isNew: boolean }>;
  deleteFile(input: Conditional & { recursive: boolean }): Promise<void>;
  moveFile(input: OfSession & { move: MoveFile }): Promise<void>;
  makeDirectory(input: OfPath): Promise<{ isNew: boolean }>;
  /** As `readFile`. */
  readArchive(input: OfPath & AnswerSink & { format: ArchiveFormat }): Promise<void>;
  putArchive(input: OfPath & Upload & { format: ArchiveFormat }): Promise<UnpackedArchive>;
};

/** Where an answer goes to, until `signal` says that nobody wants it any more. */
export type AnswerSink = {
  /** Comes first. */
  onHead(head: AnswerHead): void;
  onChunk(chunk: Uint8Array): undefined | Promise<unknown>;
  signal: AbortSignal;
};

export type AnswerHead = { status: number; headers: Record<string, string> };

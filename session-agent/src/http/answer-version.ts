import type { ServerResponse } from 'node:http';
import type { OpenFile } from '../files/read/open-file.ts';
import { readFile } from '../files/read/read-file.ts';
import { streamPieces } from './stream-pieces.ts';

/**
 * Answers with the whole of a file as it was when it was opened; the response is destroyed where the file changes meanwhile.
 * @throws Problem `precondition-failed` where it has changed before anything is sent, so always where it is small
 */
export async function answerVersion(outgoing: ServerResponse, file: OpenFile): Promise<void> {
  const size = Number(file.stats.size);
  const pieces = readFile(file, { start: 0, end: size, unchanged: true });
  const first = await pieces.next();
  outgoing.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size });
  await streamPieces(outgoing, first.done ? pieces : resumed(first.value, pieces));
}

async function* resumed<Piece>(first: Piece, rest: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
  yield first;
  yield* rest;
}

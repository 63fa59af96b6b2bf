import type { ServerResponse } from 'node:http';
import type { OpenFile } from '../files/read/open-file.ts';
import { readFile } from '../files/read/read-file.ts';
import { streamPieces } from './stream-pieces.ts';

/**
 * Answers with a whole file in the state in which it was opened. If the file changes while it is sent, the response is destroyed.
 * @throws Problem `precondition-failed` if the file has changed before anything is sent; for a small file this covers every change
 */
export async function answerVersion(outgoing: ServerResponse, file: OpenFile): Promise<void> {
  const size = Number(file.stats.size);
  const pieces = readFile(file, { start: 0, end: size, unchanged: true });
  const first = await pieces.next();
  outgoing.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size });
  await streamPieces(outgoing, first.done ? pieces : startingWith(first.value, pieces));
}

async function* startingWith<Piece>(first: Piece, rest: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
  yield first;
  yield* rest;
}

type Piece = IteratorResult<Uint8Array, undefined>;

/**
 * Splits one source between two readers, at the pace of the slower one: a piece is requested only when both want it, and no piece is
 * buffered. If one reader stops before the end, the other gets an error. If `fail` is called or the source throws, both get the error.
 */
export function teeBody(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  const pieces = each(source);
  /** The piece that one reader waits for, or both. */
  let wanted: { piece: PromiseWithResolvers<Piece>; byBoth: boolean } | null = null;
  let failure: { error: unknown } | null = null;

  function fail(error: unknown): void {
    if (failure) return;
    failure = { error };
    wanted?.piece.reject(error);
    // If the source is producing a piece, it ends after that piece.
    pieces.return(undefined).catch(() => {});
  }

  function next(): Promise<Piece> {
    if (failure) return Promise.reject(failure.error);
    if (!wanted || wanted.byBoth) {
      wanted = { piece: Promise.withResolvers(), byBoth: false };
      return wanted.piece.promise;
    }
    wanted.byBoth = true;
    const { promise, resolve, reject } = wanted.piece;
    pieces.next().then(resolve, reject);
    return promise;
  }

  async function* reader(): AsyncGenerator<Uint8Array> {
    let isOver = false;
    try {
      for (let piece = await next(); !piece.done; piece = await next()) yield piece.value;
      isOver = true;
    } finally {
      if (!isOver) fail(new Error('the other reader has stopped'));
    }
  }

  return { first: reader(), second: reader(), fail };
}

async function* each(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  yield* source;
}

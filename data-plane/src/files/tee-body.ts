type Piece = IteratorResult<Uint8Array, undefined>;

/**
 * One source for two readers at the pace of the slower: a piece is asked for once both want it, and none is held. Where one of them
 * stops before the end, or `fail` is called, the other gets an error; what the source throws, both get.
 */
export function teeBody(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  const pieces = each(source);
  /** The piece that is wanted, by one of them or by both. */
  let wanted: { piece: PromiseWithResolvers<Piece>; byBoth: boolean } | null = null;
  let failure: { error: unknown } | null = null;

  function fail(error: unknown): void {
    if (failure) return;
    failure = { error };
    wanted?.piece.reject(error);
    // A source that is being asked ends once it has answered.
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

import type postgres from 'postgres';

/**
 * Runs a statement that is cancelled when `signal` aborts, in the database too if it has begun there. Cancelling may hit the next
 * statement on the same connection, so all statements of the pool must be ones that can be repeated.
 *
 * @throws the statement's error
 */
export async function cancelWith<Rows extends postgres.MaybeRow[]>(
  signal: AbortSignal,
  statement: postgres.PendingQuery<Rows>,
): Promise<postgres.RowList<Rows>> {
  signal.throwIfAborted();
  // If the cancellation does not get through, the statement ends by its own deadline.
  const cancel = () => void Promise.resolve(statement.cancel()).catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await statement;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

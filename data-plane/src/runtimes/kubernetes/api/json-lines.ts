/** The API server never sends a longer line: an object in etcd has at most 1.5 MiB. */
const lineCharactersMax = 4 * 1024 * 1024;

/**
 * The values of a stream that has one JSON text per line.
 * @throws Error if a line is not JSON or is too long, or if the stream ends within a line
 */
export async function* jsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of chunks) {
    const lines = (pending + decoder.decode(chunk, { stream: true })).split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) yield parse(line);
    if (pending.length > lineCharactersMax) throw new Error(`a line is longer than ${lineCharactersMax} characters`);
  }
  if (pending !== '') throw new Error(`the stream ended within a line: ${pending.slice(-100)}`);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error(`a line is not JSON: ${line.slice(0, 100)}`, { cause });
  }
}

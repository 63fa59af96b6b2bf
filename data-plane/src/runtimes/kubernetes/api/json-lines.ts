/** An object in etcd has at most 1.5 MiB, so a longer line is nothing that the API server sends. */
const lineCharactersMax = 4 * 1024 * 1024;

/**
 * The values of a stream that has one JSON text to a line.
 * @throws Error where a line is no JSON or too long, or the stream ends within one
 */
export async function* jsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of chunks) {
    const lines = (pending + decoder.decode(chunk, { stream: true })).split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) yield parse(line);
    if (pending.length > lineCharactersMax) throw new Error(`a line of more than ${lineCharactersMax} characters`);
  }
  if (pending !== '') throw new Error(`the stream ended within a line: ${pending.slice(-100)}`);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error(`a line that is no JSON: ${line.slice(0, 100)}`, { cause });
  }
}

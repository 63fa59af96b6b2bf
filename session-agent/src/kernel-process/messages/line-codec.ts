import { type KernelRequest, kernelMessageBytesMax } from '@holdfast/specs/kernel';
import { parseMessage, type ReceivedMessage } from './parse-message.ts';

/**
 * Encodes a request as lines, for a kernel whose language can hardly read by length or parse JSON. The first line is an object of numbers
 * and short words; its last member `texts` counts the lines that follow, each a JSON string: the code of an execution and then the name
 * and value of each variable, the text of an input (if it has one), the code of a question, or the path that a snapshot or recovery uses.
 */
export function encodeLines(request: KernelRequest): Buffer {
  const { head, texts } = split(request);
  const lines = [JSON.stringify({ ...head, texts: texts.length }), ...texts.map(textLine)];
  return Buffer.from(`${lines.join('\n')}\n`);
}

function split(request: KernelRequest): { head: object; texts: string[] } {
  switch (request.type) {
    case 'execute': {
      const { code, env = {}, ...head } = request;
      return { head, texts: [code, ...Object.entries(env).flat()] };
    }
    case 'input': {
      const { text, ...head } = request;
      return { head, texts: text === null ? [] : [text] };
    }
    case 'complete':
    case 'inspect':
    case 'parse': {
      const { code, ...head } = request;
      return { head, texts: [code] };
    }
    case 'snapshot': {
      const { path, ...head } = request;
      return { head, texts: [path] };
    }
    case 'recover': {
      const { folder, ...head } = request;
      return { head, texts: [folder] };
    }
    default:
      return { head: request, texts: [] };
  }
}

/** A JSON string (RFC 8259) without `\\"`, the only escape of JSON that printf(1) does not know. */
function textLine(text: string): string {
  return `"${JSON.stringify(text)
    .slice(1, -1)
    .replace(/\\(.)/gs, (pair, character) => (character === '"' ? '\\u0022' : pair))}"`;
}

/** Like `createMessageReader`, for a kernel that sends each message as a line of JSON. */
export function createLineReader(onMessage: (message: ReceivedMessage) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  return (chunk) => {
    let rest = chunk;
    for (let at = rest.indexOf('\n'); at >= 0; at = rest.indexOf('\n')) {
      const message = parseMessage(Buffer.concat([...chunks, rest.subarray(0, at)]).toString());
      chunks = [];
      bytes = 0;
      rest = rest.subarray(at + 1);
      if (message) onMessage(message);
    }
    bytes += rest.length;
    if (bytes > kernelMessageBytesMax) throw new Error(`a message of ${bytes} bytes is over the limit`);
    if (rest.length > 0) chunks.push(rest);
  };
}

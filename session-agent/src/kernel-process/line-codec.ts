import { type KernelMessage, type KernelRequest, kernelMessageBytesMax } from '@holdfast/specs/kernel';
import { parseMessage } from './parse-message.ts';

/**
 * One request as lines, for a kernel whose language can hardly cut lengths or parse JSON: an object of numbers and short words whose
 * last member `texts` counts the lines that follow, each a JSON string. These are an execution's code and then, one after the other,
 * its variables' names and values; the text of an input, where it has one; or the code of a question.
 */
export function encodeLines(request: KernelRequest): Buffer {
  const { head, texts } = apart(request);
  const lines = [JSON.stringify({ ...head, texts: texts.length }), ...texts.map(textLine)];
  return Buffer.from(`${lines.join('\n')}\n`);
}

function apart(request: KernelRequest): { head: object; texts: string[] } {
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
    case 'inspect': {
      const { code, ...head } = request;
      return { head, texts: [code] };
    }
    default:
      return { head: request, texts: [] };
  }
}

/** Without the one escape of JSON (RFC 8259) that printf(1) does not know. */
function textLine(text: string): string {
  return `"${JSON.stringify(text)
    .slice(1, -1)
    .replace(/\\(.)/gs, (pair, character) => (character === '"' ? '\\u0022' : pair))}"`;
}

/** As `messageReader`, for a kernel that sends each message as one line of JSON. */
export function lineReader(onMessage: (message: KernelMessage) => void): (chunk: Buffer) => void {
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

import { Readable } from 'node:stream';

// Taken before any step can replace it.
const { setImmediate } = globalThis;
const refusal = 'this step was not allowed to ask for input: set `stdin: true` on the step';

/** The input of one step. It asks for a line when code reads or, for a `readline` interface, when that wants a line. */
export function createStepInput({ scope, ask, refusals }) {
  const readers = new Set();
  let isRead = false;
  let isAsked = false;

  const askOnce = () => {
    if (!isRead || isAsked || stream.destroyed || stream.readableEnded || scope.hasEnded) return;
    if (stream.readableFlowing === false && stream.listenerCount('readable') === 0) return;
    if (readers.size > 0 && ![...readers].some((wantsLine) => wantsLine())) return;
    isAsked = true;
    ask(scope);
  };
  // Later, because a stream reads ahead as soon as it has delivered a chunk, and the code may close it then.
  const askSoon = () => setImmediate(askOnce);
  const read = () => {
    isRead = true;
    if (scope.isAbandoned) return;
    if (scope.hasEnded) stream.push(null);
    else if (scope.takesInput) askSoon();
    else stream.destroy(refused(refusals));
  };
  const stream = new Readable({ read, highWaterMark: 0 });
  stream.on('resume', askSoon);
  Object.defineProperty(stream, 'fd', { value: 0 });
  stream.ref = stream.unref = () => stream;

  return {
    stream,
    give(text) {
      isRead = isAsked = false;
      if (stream.destroyed || stream.readableEnded) return;
      stream.push(text === null ? null : `${text}\n`);
    },
    end() {
      if (!stream.destroyed && !stream.readableEnded) stream.push(null);
    },
    follow(wantsLine) {
      readers.add(wantsLine);
    },
    unfollow(wantsLine) {
      readers.delete(wantsLine);
    },
    wake: askSoon,
  };
}

function refused(refusals) {
  const error = new Error(refusal);
  error.name = 'InputNotAllowedError';
  refusals.add(error);
  return error;
}

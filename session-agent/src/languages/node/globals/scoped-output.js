import fs from 'node:fs';

// Taken before any step can replace them.
const { writeSync } = fs;
const { nextTick } = process;
const { setImmediate } = globalThis;
const { apply } = Reflect;
const now = performance.now.bind(performance);
const { from } = Buffer;
const textOf = Buffer.prototype.toString;
const unsentCharactersMax = 65_536;
const unsentMsMax = 5;

/**
 * Attributes output on `process.stdout` and `process.stderr`, which `console` uses as well, to the step that writes it. Output
 * after the end of its step is sent as late output, and output of an abandoned or silent step is dropped. All other output is written here
 * and not by the streams: a stream that is stopped in the middle of a write considers itself writing for ever.
 */
export function scopeOutput(scopes) {
  let passOn = () => {};
  let takeTurn = () => {};
  let unsent = [];
  let unsentCharacters = 0;
  let passedAt = 0;
  const flush = () => {
    if (unsent.length === 0) return;
    const late = unsent;
    unsent = [];
    unsentCharacters = 0;
    passedAt = now();
    for (let index = 0; index < late.length; index++) passOn(late[index].stepId, late[index].stream, late[index].text);
  };
  const sendLater = (stepId, stream, text) => {
    const last = unsent[unsent.length - 1];
    if (unsent.length === 0) setImmediate(flush);
    if (last?.stepId === stepId && last.stream === stream) last.text += text;
    else unsent[unsent.length] = { stepId, stream, text };
    unsentCharacters += text.length;
    // At once if there was none for a while: the code may occupy the thread from now on.
    if (unsentCharacters > unsentCharactersMax || now() - passedAt > unsentMsMax) flush();
  };

  for (const [name, fd] of [
    ['stdout', 1],
    ['stderr', 2],
  ]) {
    const stream = process[name];
    const { write } = stream;
    const scopedWrite = function (chunk, encoding, callback) {
      if (!isWritable(chunk)) return apply(write, this, [chunk, encoding, callback]);
      const scope = scopes.current();
      let error = null;
      if (scope === undefined || !scope.hasEnded) {
        if (scope && name === 'stdout')
          scope.lastWritten = typeof chunk === 'string' && chunk.length <= unsentCharactersMax ? chunk : '';
        takeTurn(fd);
        error = writeAll(stream, fd, typeof chunk === 'string' ? from(chunk, encodingOf(encoding)) : chunk);
      } else if (!scope.isAbandoned && !scope.isSilent) sendLater(scope.stepId, name, text(chunk, encoding));
      const written = typeof encoding === 'function' ? encoding : callback;
      if (typeof written === 'function') nextTick(written, error);
      return true;
    };
    Object.defineProperty(scopedWrite, 'name', { value: 'write' });
    // The stream belongs to all steps, so ending it only writes the last chunk.
    const end = (chunk, encoding, callback) => {
      const done = [chunk, encoding, callback].find((argument) => typeof argument === 'function');
      if (chunk !== undefined && chunk !== null && chunk !== done)
        stream.write(chunk, encoding === done ? undefined : encoding);
      if (done) process.nextTick(done);
      return stream;
    };
    Object.defineProperty(stream, 'end', { value: end, writable: true, configurable: true });
    Object.defineProperty(stream, 'write', { value: scopedWrite, writable: true, configurable: true });
  }
  process.on('exit', flush);
  return {
    flush,
    onLate(listener) {
      passOn = listener;
    },
    /** Calls `listener(fd)` before each write to descriptor 1 or 2. */
    onWrite(listener) {
      takeTurn = listener;
    },
  };
}

/** Whether this module can write the chunk. The stream itself rejects all others. */
const isWritable = (chunk) => typeof chunk === 'string' || ArrayBuffer.isView(chunk);
const encodingOf = (encoding) => (typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8');

/** Writes all bytes and returns null, or the error if the descriptor is closed, for example. */
function writeAll(stream, fd, view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') return error;
      // A child process has made it non-blocking.
      stream._handle?.setBlocking?.(true);
    }
  }
  return null;
}

function text(chunk, encoding) {
  if (typeof chunk === 'string' && (typeof encoding !== 'string' || /^utf-?8$/i.test(encoding))) return chunk;
  return apply(textOf, typeof chunk === 'string' ? from(chunk, encoding) : from(chunk), []);
}

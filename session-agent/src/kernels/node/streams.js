import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';

/** fds 1 and 2 belong to the user's code; fds 5 and 6 are ends of the same FIFOs that only the kernel knows. */
export function holdStreams(scopes) {
  const streams = [
    { fd: 1, privateFd: 5, stream: process.stdout, identity: identity(1) },
    { fd: 2, privateFd: 6, stream: process.stderr, identity: identity(2) },
  ];
  for (const { stream } of streams) {
    setBlocking(stream);
    muteAbandoned(stream, scopes);
  }
  return {
    /** Puts both streams right and writes the end marks. */
    endStep(nonce) {
      const mark = `\0holdfast-end:${nonce}\0`;
      for (const { fd, privateFd, stream, identity: was } of streams) {
        if (identity(fd) !== was) reopen(fd, privateFd);
        setBlocking(stream);
        writeSync(privateFd, mark);
      }
    },
  };
}

/** Output to a FIFO is asynchronous otherwise, and what is not yet written at the end of the process would be lost. */
function setBlocking(stream) {
  stream._handle?.setBlocking?.(true);
}

/** What an abandoned step still writes goes nowhere: it would appear in a later step. `console` writes by this as well. */
function muteAbandoned(stream, scopes) {
  const write = stream.write;
  const scopedWrite = function (...args) {
    if (!scopes.current()?.isAbandoned) return write.apply(this, args);
    const written = args.at(-1);
    if (typeof written === 'function') process.nextTick(written);
    return true;
  };
  Object.defineProperty(stream, 'write', { value: scopedWrite, writable: true, configurable: true });
}

function identity(fd) {
  try {
    const { dev, ino } = fstatSync(fd);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

/** A file opened anew gets the lowest number that is free, so the number has to be free first. */
function reopen(fd, privateFd) {
  try {
    closeSync(fd);
  } catch {
    // The code has closed it.
  }
  const opened = openSync(`/proc/self/fd/${privateFd}`, 'w');
  if (opened !== fd) closeSync(opened);
}

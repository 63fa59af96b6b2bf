import { closeSync, fstatSync, openSync, statSync, writeSync } from 'node:fs';
import process from 'node:process';

const attemptsMax = 64;

/** Holds the output streams: fds 1 and 2 belong to the user's code, fds 5 and 6 are the kernel's own ends of the same FIFOs. */
export function holdStreams() {
  const streams = [
    { fd: 1, privateFd: 5, handle: process.stdout._handle, identity: identity(1) },
    { fd: 2, privateFd: 6, handle: process.stderr._handle, identity: identity(2) },
  ];
  for (const { handle } of streams) setBlocking(handle);
  let nonce = null;
  let lastWritten = 1;

  /** Writes a mark of the running step to both streams; see "Order" in the kernel protocol. */
  const mark = (letter) => {
    if (nonce === null) return;
    for (const { privateFd } of streams) {
      try {
        writeSync(privateFd, `\0holdfast:${nonce}:${letter}\0`);
      } catch {
        // The code has closed both ends, so the agent ends the step without its marks.
      }
    }
  };

  return {
    begin(step) {
      nonce = step.nonce;
    },

    /** Call before the running step writes to descriptor 1 or 2. */
    takeTurn(fd) {
      if (fd === lastWritten) return;
      lastWritten = fd;
      mark('t');
    },

    /** Call right before a message of the running step is sent. */
    placeMessage() {
      mark('m');
    },

    /** Replaces the FIFOs by `1` and `2` of `folder`. If those cannot be opened, the old ones stay. */
    replace(folder) {
      for (const stream of streams) {
        const path = `${folder}/${stream.fd}`;
        if (identity(path) === null) continue;
        try {
          openAt(stream.privateFd, path);
          openAt(stream.fd, path);
          stream.identity = identity(stream.fd);
          setBlocking(stream.handle);
        } catch {
          // The agent has removed them meanwhile, and ends the step without the marks.
        }
      }
    },

    /** Drops what is written to both streams, until they are restored. */
    silence() {
      for (const { fd } of streams) openAt(fd, '/dev/null');
    },

    /** Restores both streams and writes the end marks. */
    endStep() {
      for (const { fd, privateFd, handle, identity: was } of streams) {
        try {
          if (identity(privateFd) !== was) openAt(privateFd, `/proc/self/fd/${fd}`);
          if (identity(fd) !== was) openAt(fd, `/proc/self/fd/${privateFd}`);
          setBlocking(handle);
        } catch {
          // The code has closed both ends.
        }
      }
      mark('e');
      nonce = null;
    },
  };
}

/** Makes writes synchronous, since output that is not yet written when the process ends would be lost. */
function setBlocking(handle) {
  handle?.setBlocking?.(true);
}

/** Returns a text that identifies a file, or null if there is none. */
function identity(fileOrFd) {
  try {
    const { dev, ino } = typeof fileOrFd === 'number' ? fstatSync(fileOrFd) : statSync(fileOrFd);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

/** Opens a file at a given number. An opened file gets the lowest free number, so that one is freed and lower ones are filled meanwhile. */
function openAt(fd, path) {
  close(fd);
  const fillers = [];
  for (let opened = openSync(path, 'w'); opened !== fd && fillers.length < attemptsMax; opened = openSync(path, 'w')) {
    fillers.push(opened);
    // Another thread has opened a file at this number meanwhile, and loses it.
    if (opened > fd) close(fd);
  }
  for (const filler of fillers) close(filler);
}

function close(fd) {
  try {
    closeSync(fd);
  } catch {
    // Nothing is open there.
  }
}

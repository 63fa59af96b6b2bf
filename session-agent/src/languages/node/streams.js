import { closeSync, fstatSync, openSync, statSync, writeSync } from 'node:fs';
import process from 'node:process';

const attemptsMax = 64;

/** fds 1 and 2 belong to the user's code; fds 5 and 6 are ends of the same FIFOs that only the kernel knows. */
export function holdStreams() {
  const streams = [
    { fd: 1, privateFd: 5, handle: process.stdout._handle, identity: identity(1) },
    { fd: 2, privateFd: 6, handle: process.stderr._handle, identity: identity(2) },
  ];
  for (const { handle } of streams) setBlocking(handle);

  return {
    /** Takes new FIFOs, which lie in `folder` as `1` and `2`; where they cannot be opened, the old ones stay. */
    take(folder) {
      for (const held of streams) {
        const path = `${folder}/${held.fd}`;
        if (identity(path) === null) continue;
        try {
          openAt(held.privateFd, path);
          openAt(held.fd, path);
          held.identity = identity(held.fd);
          setBlocking(held.handle);
        } catch {
          // The agent has given them up meanwhile, and does without the marks.
        }
      }
    },

    /** Puts both streams right and writes the end marks. */
    endStep(nonce) {
      const mark = `\0holdfast-end:${nonce}\0`;
      for (const { fd, privateFd, handle, identity: was } of streams) {
        try {
          if (identity(privateFd) !== was) openAt(privateFd, `/proc/self/fd/${fd}`);
          if (identity(fd) !== was) openAt(fd, `/proc/self/fd/${privateFd}`);
          setBlocking(handle);
          writeSync(privateFd, mark);
        } catch {
          // The code has closed both: the agent does without the mark.
        }
      }
    },
  };
}

/** Output to a FIFO is asynchronous otherwise, and what is not yet written at the end of the process would be lost. */
function setBlocking(handle) {
  handle?.setBlocking?.(true);
}

/** Tells files apart; null where there is none. */
function identity(fileOrFd) {
  try {
    const { dev, ino } = typeof fileOrFd === 'number' ? fstatSync(fileOrFd) : statSync(fileOrFd);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

/** A file opened anew gets the lowest number that is free: the number is made so, and lower ones are filled for the time. */
function openAt(fd, path) {
  close(fd);
  const fillers = [];
  for (let opened = openSync(path, 'w'); opened !== fd && fillers.length < attemptsMax; opened = openSync(path, 'w')) {
    fillers.push(opened);
    // Another thread has opened a file at this number meanwhile: it is the loss of that thread.
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

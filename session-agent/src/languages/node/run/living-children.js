import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import process from 'node:process';
import { TextDecoder } from 'node:util';
import { ownMethods } from '../realm/own-methods.js';
import { ownList } from '../realm/users-realm.js';

const zombiesMax = 64;
const piece = new Uint8Array(1024);
const decoder = ownMethods(new TextDecoder());

/** Tells whether child processes live, adopted orphans included. Zombies, which nothing waits for, do not count. */
export function watchChildren({ ownWorker }) {
  let hasWorkers = false;
  process.on('worker', (worker) => {
    hasWorkers ||= worker !== ownWorker;
  });
  return {
    areLiving() {
      // A child belongs to the thread that has started it, and an orphan to the main thread.
      const threads = hasWorkers ? ownList(readdirSync('/proc/self/task')) : [process.pid];
      let zombies = 0;
      for (const thread of threads) {
        for (const pid of childrenOf(thread)) if (!isZombie(pid) || ++zombies > zombiesMax) return true;
      }
      return false;
    },
  };
}

/** Reads the ids of a thread's first children. Runs after every step, so it is one read, which is empty in most cases. */
function childrenOf(thread) {
  try {
    const file = openSync(`/proc/self/task/${thread}/children`, 'r');
    const length = readSync(file, piece);
    closeSync(file);
    return length === 0 ? [] : (decoder.decode(piece.subarray(0, length)).match(/\d+/g) ?? []);
  } catch {
    return [];
  }
}

function isZombie(pid) {
  return /^\d+ \(.*\) [ZX]/s.test(read(`/proc/${pid}/stat`) || '0 () X');
}

function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

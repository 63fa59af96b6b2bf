import { isUtf8 } from 'node:buffer';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { WatchLine } from '@holdfast/specs/agent';
import { type FileEvent, Problem, sandboxPath } from '@holdfast/specs/public';
import type { Workspace } from '../paths/open-workspace.ts';
import { resolvePath } from '../paths/resolve-path.ts';
import { openDirectoryEntry } from '../read/open-file.ts';
import { walkTree } from '../read/walk-tree.ts';
import { type DirectoryWatches, TooManyDirectories } from './directory-watches.ts';

/** Changes within this time become one batch. */
const gatherMs = 20;
/** After a loss, the time until the tree is looked at anew, so that endless changes do not take the agent's whole time. */
const lossMs = 250;
const quietMs = 15_000;
/** A reader that leaves more paths waiting has to list the files anew. */
const pendingMax = 4096;
const lookedUpAtOnce = 128;
const walkedAtOnce = 256;
const entriesMax = 200_000;

type Options = { path: string; recursive: boolean };

/**
 * A watch of a file, a directory, or all directories below one. A change is noted by its path alone, and looked up when it is told, so a path
 * is told once however often it changes meanwhile, with what is there at last. If too much happens, `overflow` takes the place of
 * what was not told.
 */
export class FileWatch {
  #workspace: Workspace;
  #watches: DirectoryWatches;
  #root: string;
  #recursive: boolean;
  /** The one path that is told, if it is that of a file: its directory is watched, since editors replace files. */
  #only: string | null = null;
  #identity = '';
  #directories = new Map<string, { close: () => void }>();
  /** The paths that have changed; true if the entry itself is new, has gone or was replaced. */
  #pending = new Map<string, boolean>();
  #hasLost = false;
  #isRootDoubtful = false;
  #isClosed = false;
  #wake = () => {};

  constructor(
    { workspace, watches }: { workspace: Workspace; watches: DirectoryWatches },
    { path, recursive }: Options,
  ) {
    this.#workspace = workspace;
    this.#watches = watches;
    this.#root = path;
    this.#recursive = recursive;
  }

  /**
   * Begins to watch.
   * @throws Problem `not-found`, `outside-workspace`, `path-conflict`, `quota-exceeded` (too many directories)
   */
  async open(): Promise<void> {
    using resolved = resolvePath(this.#workspace, this.#root, { follow: true });
    if (!resolved.entry) throw new Problem('not-found', { detail: 'nothing exists at this path' });
    if (!resolved.entry.stats.isDirectory()) {
      this.#only = this.#root;
      this.#root = this.#root.slice(0, Math.max(0, this.#root.lastIndexOf('/')));
      this.#recursive = false;
    }
    try {
      this.#identity = this.#rootIdentity() ?? '';
      await this.#watchTree(this.#root, null);
    } catch (error) {
      this.close();
      if (!(error instanceof TooManyDirectories)) throw error;
      throw new Problem('quota-exceeded', { detail: error.message, cause: error });
    }
  }

  /** Everything that happens, in batches, until the watch is closed or what it watches is gone. */
  async *batches(): AsyncGenerator<WatchLine[]> {
    yield [{ type: 'ready' }];
    while (!this.#isClosed) {
      const hasNews = await this.#hasNews();
      if (hasNews) await delay(this.#hasLost ? lossMs : gatherMs);
      if (this.#isClosed) return;
      // Also without news: the kernel does not tell that a directory above the watched one was moved.
      if (this.#rootIdentity() !== this.#identity) return yield [{ type: 'ended', reason: 'deleted' }];
      this.#isRootDoubtful = false;
      if (!hasNews) {
        yield [{ type: 'quiet' }];
        continue;
      }
      try {
        if (this.#hasLost) yield await this.#recovered();
        else yield* this.#told();
      } catch (error) {
        if (!(error instanceof TooManyDirectories)) throw error;
        return yield [{ type: 'ended', reason: 'too-many-directories' }];
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const directory of this.#directories.values()) directory.close();
    this.#directories.clear();
    this.#pending.clear();
    this.#wake();
  }

  /** Resolves to false if nothing happens for a while. */
  async #hasNews(): Promise<boolean> {
    const hasNews = () => this.#pending.size > 0 || this.#hasLost || this.#isRootDoubtful;
    if (hasNews() || this.#isClosed) return !this.#isClosed;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, quietMs).unref();
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
    return hasNews() && !this.#isClosed;
  }

  /** Watches everything anew, and only then tells the reader to list it, so nothing falls between the two. */
  async #recovered(): Promise<FileEvent[]> {
    for (const directory of this.#directories.values()) directory.close();
    this.#directories.clear();
    this.#hasLost = false;
    this.#pending.clear();
    await this.#watchTree(this.#root, null);
    return [{ type: 'overflow' }];
  }

  async *#told(): AsyncGenerator<FileEvent[]> {
    const changes = [...this.#pending];
    this.#pending.clear();
    for (let from = 0; from < changes.length && !this.#hasLost; from += lookedUpAtOnce) {
      const events: FileEvent[] = [];
      for (const [path, isEntry] of changes.slice(from, from + lookedUpAtOnce)) {
        const kind = this.#kindOf(path);
        events.push({ type: kind === null ? 'deleted' : isEntry ? 'created' : 'modified', path });
        if (!isEntry || !this.#recursive) continue;
        // All below a watched directory are watched, too, so nothing else is to be forgotten.
        if (this.#directories.has(path)) this.#forget(path);
        if (kind === 'directory') await this.#watchTree(path, events);
      }
      yield events;
    }
  }

  /** Watches a directory and those below it, and adds their entries to `found`, as they may have come before the watch. */
  async #watchTree(path: string, found: FileEvent[] | null): Promise<void> {
    using resolved = this.#resolvedOrNull(path, path === this.#root);
    if (!resolved?.entry?.stats.isDirectory()) return;
    if (!this.#add(path, resolved.entry.descriptor) || !this.#recursive) return;
    using directory = openDirectoryEntry(resolved.entry);
    const walk = walkTree(directory.descriptor, { depthMax: 256, entriesMax });
    let walked = 0;
    // A directory comes before its entries are read, so it is watched by then.
    for (const { path: latin1, stats } of walk) {
      if (++walked % walkedAtOnce === 0) await setImmediate();
      if (this.#isClosed) return;
      const bytes = Buffer.from(latin1, 'latin1');
      if (!isUtf8(bytes)) continue;
      const below = joined(path, bytes.toString());
      if (!canBeAskedFor(below)) continue;
      found?.push({ type: 'created', path: below });
      if (found && found.length > pendingMax) return this.#lost();
      if (!stats.isDirectory()) continue;
      using child = this.#resolvedOrNull(below, false);
      if (child?.entry?.stats.ino === stats.ino) this.#add(below, child.entry.descriptor);
    }
    if (walked >= entriesMax) throw new TooManyDirectories('too many files: watch a part of them');
  }

  /** Watches one directory and returns whether it does. One below the root that cannot be read is left out, as in a list. */
  #add(path: string, descriptor: number): boolean {
    if (this.#isClosed) return false;
    this.#directories.get(path)?.close();
    this.#directories.delete(path);
    const listener = {
      onEvent: (name: Buffer | null, isEntry: boolean) => this.#noticed(path, { name, isEntry }),
      onLoss: () => this.#lost(),
    };
    try {
      this.#directories.set(path, this.#watches.add(descriptor, listener));
      return true;
    } catch (error) {
      if (path === this.#root || !(error instanceof Problem)) throw error;
      return false;
    }
  }

  /** A path that is told again may be that of another directory by now. */
  #forget(path: string): void {
    for (const [watched, directory] of this.#directories) {
      if (watched !== path && !watched.startsWith(`${path}/`)) continue;
      directory.close();
      this.#directories.delete(watched);
    }
  }

  #noticed(directory: string, { name, isEntry }: { name: Buffer | null; isEntry: boolean }): void {
    if (name === null) {
      // Code may change the mode of a directory as often as it likes.
      if (directory !== this.#root || !isEntry) return;
      this.#isRootDoubtful = true;
      this.#wake();
    } else if (!isUtf8(name)) {
      this.#note(directory, false);
    } else {
      const path = joined(directory, name.toString());
      if (this.#only === null ? canBeAskedFor(path) : path === this.#only) this.#note(path, isEntry);
    }
  }

  #note(path: string, isEntry: boolean): void {
    if (this.#hasLost) return;
    this.#pending.set(path, isEntry || this.#pending.get(path) === true);
    if (this.#pending.size > pendingMax) this.#lost();
    this.#wake();
  }

  #lost(): void {
    this.#hasLost = true;
    this.#pending.clear();
    this.#wake();
  }

  #kindOf(path: string): 'directory' | 'other' | null {
    using resolved = this.#resolvedOrNull(path, false);
    if (!resolved?.entry) return null;
    return resolved.entry.stats.isDirectory() ? 'directory' : 'other';
  }

  #rootIdentity(): string | null {
    using resolved = this.#resolvedOrNull(this.#root, true);
    return resolved?.entry ? `${resolved.entry.stats.dev}:${resolved.entry.stats.ino}` : null;
  }

  /** Null if the path leads nowhere by now. */
  #resolvedOrNull(path: string, follow: boolean) {
    try {
      return resolvePath(this.#workspace, path, { follow });
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    }
  }
}

const joined = (directory: string, name: string): string => (directory === '' ? name : `${directory}/${name}`);

/** Not the path of an incomplete upload, nor one that is too long: directories can be nested deeper than a path can say. */
const canBeAskedFor = (path: string): boolean => sandboxPath(path) !== null;

import type { ServerResponse } from 'node:http';
import type { Faults } from '../faults.ts';
import type { Change, Collection } from './collection.ts';
import { kinds, type ObjectMeta, type Resource } from './objects.ts';
import { expiredVersion, Refusal } from './refusal.ts';
import type { ApiRequest } from './request.ts';
import { selection } from './selectors.ts';

type Watched = { metadata: ObjectMeta };
type OpenWatch = { stall(): void; cut(): void; expire(): void };
type Given<T extends Watched> = { collection: Collection<T>; request: ApiRequest; response: ServerResponse };

export type Watches = ReturnType<typeof createWatches>;

/** Serves watches, and makes open watches fail as long connections do. Each act returns the number of watches that it affected. */
export function createWatches(deps: { faults: Faults; bookmarkMs: number }) {
  const open = new Set<OpenWatch>();
  let bookmarks = 0;
  const each = (act: (watch: OpenWatch) => void): number => {
    const met = [...open];
    for (const watch of met) act(watch);
    return met.length;
  };

  return {
    serve<T extends Watched>(given: Given<T>): void {
      const watch = startWatch({ ...deps, onBookmark: () => void bookmarks++ }, given);
      open.add(watch);
      given.response.once('close', () => open.delete(watch));
    },
    get open(): number {
      return open.size;
    },
    /** The number of bookmarks that were ever sent. */
    get bookmarks(): number {
      return bookmarks;
    },
    /** They stay connected and never send anything again, as if the other side had vanished. */
    stall: () => each((watch) => watch.stall()),
    /** Their connections are reset. */
    cut: () => each((watch) => watch.cut()),
    /** They end with an event of type ERROR, because their version was dropped. */
    expire: () => each((watch) => watch.expire()),
  };
}

function startWatch<T extends Watched>(
  { faults, bookmarkMs, onBookmark }: { faults: Faults; bookmarkMs: number; onBookmark(): void },
  { collection, request, response }: Given<T>,
): OpenWatch {
  const { query } = request;
  const resource = request.resource as Resource;
  const selected = selection(query);
  const kind = { kind: kinds[resource], apiVersion: 'v1' };
  const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;
  const error = (refusal: Refusal) => response.end(line('ERROR', refusal.status()));
  const timers: NodeJS.Timeout[] = [];
  let silent = false;
  let seen = Number(query.get('resourceVersion'));

  function deliver({ type, object, version }: Change<T>): void {
    if (silent || response.writableEnded) return;
    seen = version;
    if (!selected(object) || faults.take('dropEvent', request)) return;
    const text = line(type, { ...kind, ...object });
    if (faults.take('truncateEvent', request)) response.end(text.slice(0, text.length / 2));
    else response.write(faults.take('duplicateEvent', request) ? text + text : text);
  }

  function bookmark(): void {
    // A response that was cut off in an event has ended but may not be closed yet.
    if (response.writableEnded || query.get('allowWatchBookmarks') !== 'true') return;
    onBookmark();
    seen = Math.max(seen, collection.latestVersion());
    response.write(line('BOOKMARK', { ...kind, metadata: { resourceVersion: String(seen), creationTimestamp: null } }));
  }

  function finish(): void {
    bookmark();
    response.end();
  }

  const unfollow = collection.follow(deliver);
  const hush = () => {
    silent = true;
    unfollow();
    for (const timer of timers) clearTimeout(timer);
  };
  response.once('close', hush);
  response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  const watch: OpenWatch = {
    stall: hush,
    cut: () => response.destroy(),
    expire: () => error(expiredVersion(seen, collection.latestVersion())),
  };
  if (faults.take('stallWatch', request)) {
    hush();
    return watch;
  }
  timers.push(setInterval(bookmark, bookmarkMs));
  const timeoutSeconds = Number(query.get('timeoutSeconds')) || 1800;
  timers.push(setTimeout(finish, timeoutSeconds * 1000));
  try {
    for (const change of backlog(collection, seen)) deliver(change);
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    error(refusal);
  }
  return watch;
}

/** Without a version, or with version 0, a watch starts with all existing objects. */
function backlog<T extends Watched>(collection: Collection<T>, version: number): Change<T>[] {
  if (version > 0) return collection.since(version);
  return collection.all().map((object) => ({
    type: 'ADDED',
    object,
    version: Number(object.metadata.resourceVersion),
  }));
}

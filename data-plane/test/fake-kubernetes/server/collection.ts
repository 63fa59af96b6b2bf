import { expiredVersion } from './refusal.ts';

type Stored = { metadata: { name: string; resourceVersion: string } };

/** A change of an object at a version. DELETED has the object's last state. */
export type Change<T> = { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T; version: number };

export type Collection<T extends Stored> = ReturnType<typeof createCollection<T>>;

/** The objects of one kind and their history, as in etcd. A stored object never changes: an update stores a new one. */
export function createCollection<T extends Stored>(versions: { latest: number }) {
  const objects = new Map<string, T>();
  const followers = new Set<(change: Change<T>) => void>();
  const untold: Change<T>[] = [];
  let history: Change<T>[] = [];
  let oldest = 0;

  function record(type: Change<T>['type'], draft: T): T {
    const version = ++versions.latest;
    const object = { ...draft, metadata: { ...draft.metadata, resourceVersion: String(version) } };
    const { name } = object.metadata;
    if (type === 'DELETED') objects.delete(name);
    else objects.set(name, object);
    const change = { type, object, version };
    history.push(change);
    untold.push(change);
    if (untold.length === 1) tell();
    return object;
  }

  /** A follower may make another change; every follower gets that after this one. */
  function tell(): void {
    for (let change = untold[0]; change; change = untold[0]) {
      for (const follower of [...followers]) follower(change);
      untold.shift();
    }
  }

  return {
    find: (name: string): T | undefined => objects.get(name),
    /** All, in the order of their names. */
    all: (): T[] => [...objects.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
    insert: (object: T): T => record('ADDED', object),
    /** Stores a copy that `change` has modified. Returns undefined if the object is gone. */
    update(name: string, change: (draft: T) => void): T | undefined {
      const object = objects.get(name);
      if (!object) return undefined;
      const draft = structuredClone(object);
      change(draft);
      return record('MODIFIED', draft);
    },
    remove(name: string): T | undefined {
      const object = objects.get(name);
      return object && record('DELETED', object);
    },
    latestVersion: (): number => versions.latest,
    /** All changes after `version`. @throws Refusal 410 if they were dropped */
    since(version: number): Change<T>[] {
      if (version < oldest) throw expiredVersion(version, oldest);
      return history.filter((change) => change.version > version);
    },
    /** Whether the history after a version is still there. */
    remembers: (version: number): boolean => version >= oldest,
    /** Drops the history, as etcd does every few minutes. */
    compact(): void {
      oldest = versions.latest;
      history = [];
    },
    /** Calls `follower` with every later change. Returns a function that stops this. */
    follow(follower: (change: Change<T>) => void): () => void {
      followers.add(follower);
      return () => followers.delete(follower);
    },
  };
}

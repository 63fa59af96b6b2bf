/** The versions of files that reading has moved on, by changing a mode and changing it back. */
export type TouchedVersions = {
  /** `now` is the same file as `version`. */
  note(path: string, versions: { version: string; now: string }): void;
  isSame(path: string, versions: { version: string; now: string }): boolean;
};

/** The versions of files that were touched before these are forgotten, and such a file counts as changed. */
const filesMax = 1000;

export function createTouchedVersions(): TouchedVersions {
  const ofPaths = new Map<string, { version: string; now: string }>();
  return {
    note(path, versions) {
      ofPaths.delete(path);
      ofPaths.set(path, versions);
      for (const first of ofPaths.keys()) {
        if (ofPaths.size <= filesMax) break;
        ofPaths.delete(first);
      }
    },
    isSame(path, { version, now }) {
      if (version === now) return true;
      const touched = ofPaths.get(path);
      return touched?.version === version && touched.now === now;
    },
  };
}

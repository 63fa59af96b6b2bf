const { apply } = Reflect;
const { startsWith } = String.prototype;
const ownFolder = import.meta.url.slice(0, import.meta.url.lastIndexOf('/') + 1);

/** Leaves the kernel's own frames out of stacks, with all that lies under the evaluation of a step. */
export function cutStackTraces() {
  const prepare = Error.prepareStackTrace;
  Error.prepareStackTrace = function prepareStackTrace(error, frames) {
    const users = [];
    let length = 0;
    for (let index = 0; index < frames.length; index++) {
      const file = frames[index].getFileName() ?? '';
      if (apply(startsWith, file, ['holdfast:'])) {
        // The evaluation is asked for through the inspector.
        if (length > 0 && users[length - 1].getFileName() === 'node:inspector') users.length = length - 1;
        break;
      }
      if (!apply(startsWith, file, [ownFolder])) users[length++] = frames[index];
    }
    return apply(prepare, this, [error, users]);
  };
}

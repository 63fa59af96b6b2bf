const { apply } = Reflect;
const { startsWith } = String.prototype;
const ownFolder = import.meta.url.slice(0, import.meta.url.lastIndexOf('/') + 1);

/** Leaves out of stacks the frames of this folder, and all frames under the evaluation of a step. */
export function cutStackTraces() {
  const prepare = Error.prepareStackTrace;
  Error.prepareStackTrace = function prepareStackTrace(error, frames) {
    const users = [];
    let length = 0;
    for (let index = 0; index < frames.length; index++) {
      const file = frames[index].getFileName() ?? '';
      if (apply(startsWith, file, ['holdfast:'])) {
        // The kernel evaluates through the inspector, whose frame is above its own.
        if (length > 0 && users[length - 1].getFileName() === 'node:inspector') users.length = length - 1;
        break;
      }
      if (!apply(startsWith, file, [ownFolder])) users[length++] = frames[index];
    }
    return apply(prepare, this, [error, users]);
  };
}

const { apply } = Reflect;
const { startsWith } = String.prototype;
const ownFolder = import.meta.url.slice(0, import.meta.url.lastIndexOf('/') + 1);

/**
 * Leaves out of stacks the frames of this folder, and all frames under the evaluation of a step. `asWritten(text, file, line, column)`
 * returns the text of a frame with its position in the step as it was written, and is set by `onFrame`.
 */
export function cutStackTraces() {
  const prepare = Error.prepareStackTrace;
  let asWritten = (text) => text;
  Error.prepareStackTrace = function prepareStackTrace(error, frames) {
    const users = [];
    let length = 0;
    for (let index = 0; index < frames.length; index++) {
      const frame = frames[index];
      const file = frame.getFileName() ?? '';
      if (apply(startsWith, file, ['holdfast:'])) {
        // The kernel evaluates through the inspector, whose frame is above its own.
        if (length > 0 && users[length - 1].getFileName?.() === 'node:inspector') users.length = length - 1;
        break;
      }
      if (apply(startsWith, file, [ownFolder])) continue;
      users[length++] = written(frame);
    }
    return apply(prepare, this, [error, users]);
  };
  const written = (frame) => {
    const source = frame.getScriptNameOrSourceURL();
    if (typeof source !== 'string' || !apply(startsWith, source, ['[step-'])) return frame;
    const text = asWritten(`${frame}`, source, frame.getLineNumber(), frame.getColumnNumber());
    return { toString: () => text };
  };
  return {
    onFrame(describe) {
      asWritten = describe;
    },
  };
}

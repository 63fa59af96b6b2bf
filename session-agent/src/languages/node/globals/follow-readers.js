import { syncBuiltinESMExports } from 'node:module';
import readline from 'node:readline';
import promises from 'node:readline/promises';

/**
 * Follows the interfaces that `readline` makes for a step's input, as they drop lines that come before a question: an interface
 * wants a line only while a question is open or it has a listener for lines.
 */
export function followReaders(inputOf) {
  for (const module of [readline, promises]) {
    const { createInterface } = module;
    module.createInterface = function (...args) {
      const reader = Reflect.apply(createInterface, this, args);
      const input = inputOf(reader.input);
      if (input) follow(reader, input);
      return reader;
    };
    Object.defineProperty(module.createInterface, 'name', { value: 'createInterface' });
  }
  syncBuiltinESMExports();
}

function follow(reader, input) {
  let questions = 0;
  const wantsLine = () => questions > 0 || reader.listenerCount('line') > 0;
  const answered = () => {
    questions--;
  };
  const { question } = reader;
  const asking = (query, ...rest) => {
    const callback = rest.at(-1);
    if (typeof callback === 'function') {
      rest[rest.length - 1] = (answer) => {
        answered();
        callback(answer);
      };
    }
    const answer = question.call(reader, query, ...rest);
    questions++;
    answer?.then(answered, answered);
    input.wake();
    return answer;
  };
  reader.question = Object.defineProperties(asking, Object.getOwnPropertyDescriptors(question));
  reader.on('newListener', (event) => event === 'line' && input.wake());
  input.follow(wantsLine);
  reader.once('close', () => input.unfollow(wantsLine));
}

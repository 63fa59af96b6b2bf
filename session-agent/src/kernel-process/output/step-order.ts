import type { StreamMark } from '@holdfast/specs/kernel';
import type { Stream } from '../kernel.ts';

const stuckMsMax = 2000;
const waitingBytesMax = 8 * 1024 * 1024;
/** If more messages wait for their place, the kernel's channel is not read. */
const waitingMessagesMax = 64;

type Receiver = {
  onOutput: (stream: Stream, bytes: Buffer) => void;
  /** Both streams of the step have come to the end mark. */
  onEnd: () => void;
  /** Stops or starts the reading of messages. */
  pauseMessages: (isPaused: boolean) => void;
};

/**
 * Puts the output and the messages of a kernel's step into the order in which the kernel made them, although they come over three channels that
 * are read independently. Each mark stands at the same place in both streams, so nothing behind a mark is passed on before both streams
 * have come to it and, if it is a `message` mark, the message has come. Messages without such a mark belong to the step's end.
 *
 * Output must never wait for long for a kernel that forgets a mark or was made to forget it. If nothing moves for two seconds, or too
 * much waits, the rest of the step is passed on as it comes.
 *
 * It serves one step after another. The first one has begun; `begin` follows the `finish` of the step before.
 */
export function createStepOrder({ onOutput, onEnd, pauseMessages }: Receiver) {
  const waiting: Record<Stream, (Buffer | StreamMark)[]> = { stdout: [], stderr: [] };
  const messages: (() => void)[] = [];
  let waitingBytes = 0;
  let isPaused = false;
  /** Nothing waits any more: both streams have ended, or order was given up. */
  let isLoose = false;
  let endsMissing = 2;
  let moves = 0;
  let isWatching = false;
  /** `moves` when the watch began. */
  let movesBefore = 0;
  let timer: NodeJS.Timeout | undefined;

  /** Passes on a stream's output up to its next mark, which it returns. */
  const passOutput = (stream: Stream): StreamMark | undefined => {
    const items = waiting[stream];
    for (let item = items[0]; item !== undefined; item = items[0]) {
      if (!Buffer.isBuffer(item)) return item;
      items.shift();
      waitingBytes -= item.length;
      onOutput(stream, item);
    }
    return undefined;
  };

  const passMark = (mark: StreamMark) => {
    moves++;
    waiting.stdout.shift();
    waiting.stderr.shift();
    if (mark === 'message') messages.shift()?.();
    if (mark === 'end') ended(2);
  };

  /** Some kernels cannot keep an interrupt from coming between the halves of a mark. Its other half is missing then. */
  const skipHalf = (mark: StreamMark, other: StreamMark) => {
    const isFirst = other === 'end' || mark === 'turn';
    waiting[isFirst ? 'stdout' : 'stderr'].shift();
  };

  const ended = (streams: number) => {
    endsMissing -= streams;
    if (endsMissing > 0) return;
    loosen();
    onEnd();
  };

  const advance = () => {
    while (!isLoose) {
      const [mark, other] = [passOutput('stdout'), passOutput('stderr')];
      if (!mark || !other) break;
      if (mark !== other) {
        skipHalf(mark, other);
        continue;
      }
      if (mark === 'message' && messages.length === 0) break;
      passMark(mark);
    }
    watch();
  };

  /** Advances if it can: a stream that waits does so at a mark, which the other one has to reach. */
  const goOn = () => {
    if (waiting.stdout.length > 0 && waiting.stderr.length > 0) advance();
    else watch();
  };

  /** Passes on all that waits, and from now on everything as it comes. */
  const loosen = () => {
    isLoose = true;
    for (const stream of ['stdout', 'stderr'] as const) {
      for (let mark = passOutput(stream); mark; mark = passOutput(stream)) {
        waiting[stream].shift();
        if (mark === 'end') endsMissing--;
      }
    }
    for (const deliver of messages.splice(0)) deliver();
    watch();
  };

  const giveUp = () => {
    if (isLoose) return;
    loosen();
    if (endsMissing === 0) onEnd();
  };

  const watch = () => {
    const isFull = messages.length > waitingMessagesMax;
    if (isFull !== isPaused) {
      isPaused = isFull;
      pauseMessages(isPaused);
    }
    const isOld = isWatching && movesBefore === moves;
    isWatching = messages.length + waiting.stdout.length + waiting.stderr.length > 0;
    if (!isWatching || isOld) return;
    movesBefore = moves;
    // Something waits for a moment in almost every step, so the timer stays and is only moved.
    if (timer) timer.refresh();
    else timer = setTimeout(lookAgain, stuckMsMax).unref();
  };

  /** The next round of the event loop reads all that is in the channels already. */
  const lookAgain = () => {
    const before = movesBefore;
    setImmediate(() => isWatching && before === moves && giveUp());
  };

  return {
    begin(): void {
      isLoose = false;
      endsMissing = 2;
      moves++;
    },
    /** The memory of the bytes is not needed afterwards. */
    output(stream: Stream, bytes: Buffer): void {
      if (isLoose || waiting[stream].length === 0) {
        onOutput(stream, bytes);
        return;
      }
      waiting[stream].push(Buffer.from(bytes));
      waitingBytes += bytes.length;
      if (waitingBytes > waitingBytesMax) giveUp();
    },
    mark(stream: Stream, mark: StreamMark): void {
      if (!isLoose) {
        waiting[stream].push(mark);
        goOn();
      } else if (mark === 'end') ended(1);
    },
    /** Calls `deliver` when the message's place has come. */
    message(deliver: () => void): void {
      if (isLoose) {
        deliver();
        return;
      }
      messages.push(deliver);
      goOn();
    },
    /** The step is over: passes on what still waits. */
    finish(): void {
      if (!isLoose) loosen();
    },
  };
}

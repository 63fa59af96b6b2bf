/** Output of a process as it came over a channel, byte for byte. */
export type ChannelOutput = {
  bytes: Uint8Array;
  /** The place behind these bytes, with which another channel goes on: `process.channel({ after: seq })`. */
  seq: number;
  /** So many bytes before these came and are not stored any more. */
  missingBefore: number;
};

/** Beyond this, nothing more is read until half of it is taken. */
const waitingBytesMax = 1024 * 1024;

/** Beyond this, the connection is closed: the server, or what is on the way from it, does not stop. */
const waitingBytesLimit = 8 * waitingBytesMax;

type Flow = { stop(): void; cut(): void; goOn(): void };

/** Output that has arrived and waits for its reader, who makes the connection wait. */
export function createChannelQueue({ stop, cut, goOn }: Flow) {
  const waiting: ChannelOutput[] = [];
  let waitingBytes = 0;
  let isStopped = false;
  let missing = 0;
  let isOver = false;
  let failure: { error: unknown } | null = null;
  let wake = () => {};
  return {
    add(bytes: Uint8Array, seq: number): void {
      waiting.push({ bytes, seq, missingBefore: missing });
      missing = 0;
      waitingBytes += bytes.length;
      if (waitingBytes > waitingBytesMax && !isStopped) {
        isStopped = true;
        stop();
      }
      if (waitingBytes > waitingBytesLimit) cut();
      wake();
    },
    addMissing(bytes: number): void {
      missing += bytes;
    },
    /** Nothing comes any more. The reader takes what waits first. */
    end(reason: { error: unknown } | null): void {
      isOver = true;
      failure = reason;
      wake();
    },
    async *read(): AsyncGenerator<ChannelOutput, void, undefined> {
      for (;;) {
        const piece = waiting.shift();
        if (piece) {
          waitingBytes -= piece.bytes.length;
          if (isStopped && waitingBytes <= waitingBytesMax / 2) {
            isStopped = false;
            goOn();
          }
          yield piece;
        } else if (failure) throw failure.error;
        else if (isOver) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
}

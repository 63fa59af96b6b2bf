import { constants, createZstdCompress, type ZstdCompress } from 'node:zlib';

/**
 * Level 1 takes about two milliseconds for a megabyte of log lines, beside the event loop. Higher ones take longer for little less. A window
 * as long as a piece is all that can be used.
 */
const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_windowLog]: 18 };
/** The output comes in chunks of this length, and each costs a turn of the event loop. */
const chunkSize = 64 * 1024;

type Lane = { memory: Buffer; compressor: ZstdCompress };

/**
 * Compresses pieces of at most `pieceBytes`, each by itself, in the threads of Node's pool: no more at once than there are lanes. A lane keeps
 * its context and the memory of its piece. Made anew for each piece, they would take more time than the compression of bytes that repeat
 * themselves, and V8 would collect all garbage after every twentieth megabyte.
 */
export function createZstdLanes({ lanes, pieceBytes }: { lanes: number; pieceBytes: number }) {
  const idle: Lane[] = [];
  const waiting: ((lane: Lane) => void)[] = [];
  let made = 0;

  const newLane = (): Lane => ({
    memory: Buffer.allocUnsafeSlow(pieceBytes),
    compressor: createZstdCompress({ params, chunkSize }).on('error', () => {}),
  });

  function take(): Lane | Promise<Lane> {
    const lane = idle.pop();
    if (lane) return lane;
    if (made === lanes) return new Promise((resolve) => waiting.push(resolve));
    made += 1;
    return newLane();
  }

  function giveBack(lane: Lane): void {
    const next = waiting.shift();
    if (next) next(lane);
    else idle.push(lane);
  }

  return {
    /** The piece that consists of these parts, compressed. The parts are not needed after the promise has settled. */
    async compress(parts: readonly Buffer[]): Promise<Buffer> {
      let lane = await take();
      try {
        return await compressIn(lane, parts);
      } catch (error) {
        lane.compressor.destroy();
        lane = newLane();
        throw error;
      } finally {
        giveBack(lane);
      }
    },
  };
}

async function compressIn({ memory, compressor }: Lane, parts: readonly Buffer[]): Promise<Buffer> {
  let bytes = 0;
  for (const part of parts) {
    memory.set(part, bytes);
    bytes += part.length;
  }
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const onData = (chunk: Buffer) => chunks.push(chunk);
    const settle = () => compressor.off('data', onData).off('error', onError);
    const onError = (error: Error) => {
      settle();
      reject(error);
    };
    compressor.on('data', onData).on('error', onError);
    compressor.write(memory.subarray(0, bytes));
    // Ends the frame, so that each piece can be read by itself. The next one begins another.
    compressor.flush(constants.ZSTD_e_end, () => {
      settle();
      resolve(Buffer.concat(chunks));
    });
  });
}

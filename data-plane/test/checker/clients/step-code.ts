import { sha256 } from '../../support/files-client.ts';
import type { CodeAsk } from './ledger.ts';

type Wanted = Pick<CodeAsk, 'mark' | 'key' | 'ends'> & { seconds: number; writes: boolean };

export const outputFile = (mark: string) => `out-${mark}.txt`;

/**
 * Python that proves its own run: before anything else it appends its mark and its process to a file that neither the session nor the
 * data-plane knows. It counts the runs in its context's memory, so a lost or doubled memory shows in the output.
 */
export function stepCode(
  { mark, ends, seconds, writes }: Wanted,
  { runsFile, sessionId }: { runsFile: string; sessionId: string },
): string {
  return [
    `# mark ${mark}`,
    'import os, time',
    `_file = os.open(${JSON.stringify(runsFile)}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)`,
    `_ = os.write(_file, f"${mark} {os.getpid()} ${sessionId}\\n".encode())`,
    'os.close(_file)',
    'count = globals().get("count", 0) + 1',
    `time.sleep(${seconds.toFixed(3)})`,
    ...(writes ? [`with open("${outputFile(mark)}", "w") as _file: _ = _file.write("${mark}")`] : []),
    `print("${mark}", count)`,
    ...(ends === 'raises' ? [`raise ValueError("${mark}")`] : []),
  ].join('\n');
}

/** The truth about the code, for the ledger. */
export const codeAsk = ({ mark, key, ends, writes }: Wanted): CodeAsk => ({
  ...{ mark, key, ends },
  writes: writes ? sha256(mark) : null,
});

/** The mark in recorded code, or null if it is not a client's. */
export const markOf = (code: string): string | null => /^# mark (\S+)$/m.exec(code)?.[1] ?? null;

import type { SessionEvent, StepEvent } from '@holdfast/sdk';
import { showResult } from './show-result.ts';
import { styles } from './style.ts';
import { printable } from './table.ts';
import { write } from './write.ts';

/** Shows the events of steps as they arrive: output and results on stdout, everything else on stderr. */
export function eventDisplay() {
  const { stdout, stderr } = process;
  const style = styles(stderr);
  const tell = (text: string) => write(stderr, `${style('yellow', printable(text))}\n`);
  /** Whether the last piece of output ended its line. */
  let isAtStart = true;
  const lineStart = async () => {
    if (!isAtStart && stdout.isTTY) await write(stdout, '\n');
    isAtStart = true;
  };

  return async function show(event: StepEvent | SessionEvent): Promise<void> {
    switch (event.type) {
      case 'stdout':
      case 'stderr':
        await write(process[event.type], event.text);
        isAtStart = event.text.endsWith('\n');
        return;
      case 'result':
      case 'result_update':
        await lineStart();
        return await showResult(event.data);
      case 'error':
        if (exits.has(event.name)) return;
        await lineStart();
        return await write(stderr, `${style('red', errorText(event))}\n`);
      case 'truncated':
        return await tell(`${event.bytes} bytes of ${event.stream} are left out`);
      case 'state_reset':
        return await tell(`the memory was reset; restored: ${listOf(event.restored)}; lost: ${listOf(event.lost)}`);
      case 'operation_request':
        return await tell(`the code waits for the host to answer ${event.name}`);
      case 'operation_denied':
        return await tell(`${event.name} is denied by the rule ${event.rule}`);
      case 'proposal':
        return await tell(
          `${event.changeCount} changes wait for approval: holdfast proposals diff ${event.sessionId} ${event.id}`,
        );
    }
  };
}

/** The errors that stand for an exit of the code, which the exit code tells. */
const exits: ReadonlySet<string> = new Set(['SystemExit', 'Exit', 'ExitStatus', 'exit']);

const listOf = (names: string[]) => names.join(', ') || 'nothing';

const errorText = ({ name, message, traceback }: { name: string; message: string; traceback: string[] }) =>
  traceback.length > 0 ? traceback.join('\n').trimEnd() : `${name}: ${message}`;

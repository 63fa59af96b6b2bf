/** `npm run bench`. See README.md. */
import { compareRuns } from './report/compare-runs.ts';
import { drawReport } from './report/draw-report.ts';
import { InterruptedError } from './run/interrupted-error.ts';
import { runBench } from './run/run-bench.ts';
import { UsageError } from './run/usage-error.ts';

/** The first argument chooses one; anything else is a run. */
const commands: Record<string, (args: string[]) => Promise<void>> = { compare: compareRuns, report: drawReport };

const [first = '', ...rest] = process.argv.slice(2);
const command = commands[first];
try {
  await (command ? command(rest) : runBench(process.argv.slice(2)));
  process.exit();
} catch (error) {
  if (error instanceof InterruptedError) {
    console.log(error.message);
    process.exit(130);
  }
  console.error(error instanceof UsageError ? `bench: ${error.message}` : error);
  process.exit(1);
}

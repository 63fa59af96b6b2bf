import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** Ends the output with the tests that passed on a repeat only, and with `N passed, N failed`, and `, N skipped` if there are any. */
export default class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const totals = countTests(modules, unhandled.length);
    const flaky = modules
      .flatMap((module) => [...module.children.allTests()])
      .filter((test) => test.diagnostic()?.flaky);
    const lines = flaky.map((test) => `Passed on a repeat only: ${test.module.relativeModuleId} > ${test.fullName}\n`);
    // Vitest still prints after this hook, so the line is written when the process exits.
    process.once('exit', () => process.stdout.write(`${lines.join('')}${totalsLine(totals)}\n`));
  }
}

type Totals = { passed: number; failed: number; skipped: number };

/** A file that does not load, a hook that fails and an error outside any test each count as a failed test. */
export function countTests(modules: readonly TestModule[], unhandledErrors: number): Totals {
  const totals = { passed: 0, failed: unhandledErrors, skipped: 0 };
  for (const module of modules) {
    totals.failed += module.errors().length;
    for (const suite of module.children.allSuites()) totals.failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      totals[state === 'passed' || state === 'skipped' ? state : 'failed'] += 1;
    }
  }
  return totals;
}

export const totalsLine = ({ passed, failed, skipped }: Totals) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { faultsOf, isProse, proseIn } from './plain-english.ts';

/** Prints each text that `plain-english.ts` finds fault with below the given paths, or everywhere. For people who edit texts. */
const paths = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...process.argv.slice(2)], {
  encoding: 'utf8',
});
for (const path of paths.split('\n').filter(isProse)) {
  for (const prose of proseIn(path, readFileSync(path, 'utf8'))) {
    const faults = faultsOf(prose);
    if (faults.length > 0) console.log(`${path}:${prose.line} (${prose.kind}; ${faults.join('; ')}) ${prose.text}`);
  }
}

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  symlinkSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** npm installs beside these, Node resolves packages and the type of modules from them, and git finds its repository by the last. */
const marks = ['package.json', 'node_modules', '.git'];

/**
 * The folder of all sandboxes, created if it is missing. Tools look for their project in the folders above the working directory, so a
 * workspace below a checkout would belong to that project: `npm install` would change the checkout. If the data directory is in a project,
 * as in `npm start`, its `sandboxes` is a link to a folder that is in none.
 */
export function chooseSandboxesDir(dataDir: string, outside: readonly string[] = statePlaces()): string {
  const own = join(dataDir, 'sandboxes');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const link = linkTarget(own);
  // Existing sandboxes stay in their folder.
  const isUsed = !link && existsSync(own) && readdirSync(own).length > 0;
  const elsewhere = !link && !isUsed && isInProject(realpathSync(dataDir)) ? makeOutside(outside) : null;
  if (elsewhere) {
    if (existsSync(own)) rmdirSync(own);
    symlinkSync(elsewhere, own);
  }
  mkdirSync(link ?? own, { recursive: true, mode: 0o700 });
  return realpathSync(own);
}

/** Null if the path is a folder, or missing. */
function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

const statePlaces = () => [join(homedir(), '.local/state/holdfast'), tmpdir()];

/** A new folder in the first place that is in no project and can be written to; null if there is none. */
function makeOutside(places: readonly string[]): string | null {
  for (const place of places) {
    try {
      mkdirSync(place, { recursive: true, mode: 0o700 });
      const real = realpathSync(place);
      if (!isInProject(real)) return mkdtempSync(join(real, 'sandboxes-'));
    } catch {
      // The next place may do.
    }
  }
  return null;
}

function isInProject(folder: string): boolean {
  if (marks.some((mark) => existsSync(join(folder, mark)))) return true;
  return dirname(folder) !== folder && isInProject(dirname(folder));
}

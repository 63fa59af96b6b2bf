import { isUtf8 } from 'node:buffer';
import { lstatSync, readlinkSync } from 'node:fs';
import { isLinkTarget } from '@holdfast/specs/public';
import { pathIn } from '../paths/entry-handle.ts';
import type { Workspace } from '../paths/open-workspace.ts';
import { resolvePath } from '../paths/resolve-path.ts';
import { versionOf } from './scan-record.ts';

/**
 * The target of a link in the version that a scan has seen; null if it is another one by now, or no text. A link never changes: code can only
 * put another one in its place, which has another version.
 */
export function readLink(workspace: Workspace, { path, version }: { path: string; version: string }): string | null {
  try {
    using found = resolvePath(workspace, path, { follow: false });
    const target = targetIn(found.directory, Buffer.from(found.name));
    const stats = lstatSync(pathIn(found.directory, found.name), { bigint: true });
    return versionOf(stats) === version ? target : null;
  } catch {
    return null;
  }
}

/** The target of a link in an open directory; null if a world cannot keep it. @throws a system error with a `code` */
export function targetIn(directory: number, name: Buffer): string | null {
  const bytes = readlinkSync(pathIn(directory, name), { encoding: 'buffer' });
  const text = bytes.toString();
  return isUtf8(bytes) && isLinkTarget(text) ? text : null;
}

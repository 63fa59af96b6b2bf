import { stat } from 'node:fs/promises';
import { storedServersPath } from '../connection/stored-servers.ts';
import { type Finding, ok, warning } from './finding.ts';

/** The program itself, and the file with the keys. */
export async function checkMachine(version: string): Promise<Finding[]> {
  const findings = [ok('program', `holdfast ${version} on Node ${process.versions.node}`)];
  const path = storedServersPath();
  const mode = await stat(path).then(
    (stats) => stats.mode & 0o777,
    () => null,
  );
  if (mode !== null && (mode & 0o077) !== 0) {
    findings.push(warning('stored keys', `other users of this machine can read ${path}`, `chmod 600 ${path}`));
  }
  return findings;
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@holdfast/specs/public';
import { expect, onTestFinished, test } from 'vitest';
import { openWorkspaceFiles } from '../files/workspace-files.ts';
import { OutputFiles } from '../steps/output-files.ts';
import { rehearseClaim } from './rehearse-claim.ts';

const limits = { outputBytesMax: 1024, outputFilesBytesMax: 0, unacknowledgedBytesMax: 1024, stopGraceMs: 0 };

function rehearsal(workspace: string) {
  const { watch } = openWorkspaceFiles({ workspace, fileBytesMax: 1, archiveBytesMax: 1 });
  const files = new OutputFiles({ tmp: tmpdir(), ...limits });
  return { sandboxUid: newId('uid'), limits, files, watch, workspace, tmp: '/tmp' };
}

test('handles a claim to its end', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'holdfast-rehearsal-'));
  onTestFinished(() => rmSync(workspace, { recursive: true }));
  await expect(rehearseClaim(rehearsal(workspace))).resolves.toBeUndefined();
});

test('says that a claim is refused', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'holdfast-rehearsal-'));
  const given = rehearsal(workspace);
  rmSync(workspace, { recursive: true });
  await expect(rehearseClaim(given)).rejects.toThrow('answered with');
});

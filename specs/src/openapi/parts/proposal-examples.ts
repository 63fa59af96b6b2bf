import { sessionId, stepId } from './examples.ts';

export const proposalId = 'prp_01kaf43d5e6f7g8h9j0k1m2n3p';

export const proposal = {
  id: proposalId,
  sessionId,
  number: 1,
  stepId,
  status: 'open',
  createdAt: '2026-01-15T10:04:00.000Z',
  decidedAt: null,
  decidedBy: null,
  changeCount: 1,
};
const decided = { decidedAt: '2026-01-15T10:05:00.000Z', decidedBy: 'host' };
export const committedProposal = { ...proposal, ...decided, status: 'committed' };
export const rejectedProposal = { ...proposal, ...decided, status: 'rejected' };

const before = {
  size: 6,
  sha256: '5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03',
  executable: false,
  mode: '0644',
};
const after = {
  size: 6,
  sha256: '4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865',
  executable: false,
  mode: '0644',
};
const change = { path: 'report.md', kind: 'file', change: 'modified', before, after };

export const proposalWithChanges = {
  ...proposal,
  changes: [
    {
      ...change,
      status: 'open',
      diff: 'diff --git a/report.md b/report.md\n--- a/report.md\n+++ b/report.md\n@@ -1,1 +1,1 @@\n-hello\n+1\n',
      diffOmission: null,
    },
  ],
};

/** Problems that the code of these operations contains but that no request can meet, and why. */
type Impossible = { operations: readonly string[]; problems: readonly string[]; reason: string };

export const impossibleOfAgent: readonly Impossible[] = [
  {
    operations: [
      'get /v1/archive',
      'get /v1/files',
      'get /v1/files/list',
      'get /v1/files/stat',
      'get /v1/files/events',
      'post /v1/jobs',
    ],
    problems: ['workspace-full'],
    reason: 'reading needs no room; the function that names a fault of the file system serves readers and writers',
  },
  {
    operations: ['post /v1/contexts'],
    problems: ['not-found'],
    reason: 'it asks for a context only if that exists or was deleted',
  },
  {
    operations: ['put /v1/session'],
    problems: ['not-found', 'context-deleted', 'quota-exceeded'],
    reason: 'the sandbox has no context yet, so its first one is made',
  },
];

const endings = ['post /v1/sessions/{}/complete', 'post /v1/sessions/{}/abort'];

export const impossibleOfDataPlane: readonly Impossible[] = [
  {
    operations: ['patch /v1/sessions/{}', ...endings],
    problems: ['session-starting'],
    reason: 'a session that is still starting is changed or ended',
  },
  {
    operations: ['post /v1/sessions'],
    problems: ['storage-unavailable'],
    reason: 'the sandbox does not start if its files cannot be stored: the answer is sandbox-unreachable',
  },
  {
    operations: ['post /v1/sessions/{}/resume', 'post /v1/sessions/{}/steps', 'post /v1/sessions/{}/contexts/{}/comms'],
    problems: ['workspace-full'],
    reason: 'a sandbox that has no room for the state of the session does not start: the answer is sandbox-unreachable',
  },
  {
    operations: ['delete /v1/sessions/{}'],
    problems: ['sandbox-unreachable'],
    reason: 'the answer is 202 if the sandbox could not be destroyed yet',
  },
  {
    operations: ['post /v1/sessions/{}/proposals/{}/reject'],
    problems: ['digest-mismatch', 'precondition-failed'],
    reason: 'files are put back without a digest or a condition',
  },
  {
    operations: ['post /v1/run', 'post /v1/sessions/{}/jobs'],
    problems: ['digest-mismatch', 'precondition-failed'],
    reason: 'the files of a job are written without a digest or a condition',
  },
  {
    operations: ['put /v1/sessions/{}/archive'],
    problems: ['precondition-failed', 'range-not-satisfiable', 'storage-unavailable'],
    reason: 'a file that cannot be read or stored is listed as omitted; only an error of the database is passed on',
  },
];

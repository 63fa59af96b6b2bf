import { Problem } from '@holdfast/specs/public';

export const policyDenied = (rule: string) =>
  new Problem('policy-denied', { detail: `the session's policy forbids this by its rule ${rule}` });

export const looser = (than: string) =>
  new Problem('forbidden', { detail: `the scope host is needed for a policy that allows more than ${than}` });

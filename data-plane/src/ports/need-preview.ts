import { Problem } from '@holdfast/specs/public';
import type { PreviewHosts } from './preview-hosts.ts';

export type PreviewDependencies = { hosts: PreviewHosts | null };

/** @throws Problem 501 unless the operator has given ports a domain */
export function needPreview({ hosts }: PreviewDependencies): PreviewHosts {
  if (hosts) return hosts;
  throw new Problem('not-configured', { detail: 'ports have no domain: HOLDFAST_PREVIEW_DOMAIN is not set' });
}

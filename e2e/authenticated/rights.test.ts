import { beforeAll, expect, test } from 'vitest';
import type { Holdfast } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { kubectl } from '../cluster/kubectl.ts';
import { holdfastNamespace, sandboxNamespace } from '../cluster/namespaces.ts';
import { registryRows } from '../cluster/registry-rows.ts';

let holdfast: Holdfast;
beforeAll(async () => {
  holdfast = await installHoldfast();
  return holdfast.close;
});

const dataPlane = `system:serviceaccount:${holdfastNamespace}:holdfast`;
const sandboxes = `system:serviceaccount:${sandboxNamespace}:default`;
/** An account that does not exist, so it has only the rights that every account has. */
const anyAccount = `system:serviceaccount:${holdfastNamespace}:any-account`;

test("in the sandboxes' namespace the data-plane may handle pods and read events, and nothing more", async () => {
  expect(await beyondAnyAccount(dataPlane, sandboxNamespace)).toEqual([
    'events [] [] [list]',
    'pods [] [] [create get list watch delete]',
  ]);
});

test.each([
  ['the data-plane', dataPlane, holdfastNamespace],
  ['the data-plane', dataPlane, 'kube-system'],
  ['the data-plane', dataPlane, 'default'],
  ['the account of sandboxes', sandboxes, sandboxNamespace],
  ['the account of sandboxes', sandboxes, holdfastNamespace],
])('%s (%s) has no rights in %s beyond those of every account', async (_, account, namespace) => {
  expect(await beyondAnyAccount(account, namespace)).toEqual([]);
});

test('replicas use the database under a role that owns nothing in it', async () => {
  const connected = `select distinct usename from pg_stat_activity where application_name = 'holdfast'`;
  expect(await registryRows(connected)).toEqual(['holdfast_data_plane']);
  const owned = `select count(*) from pg_shdepend where deptype = 'o' and refobjid = 'holdfast_data_plane'::regrole`;
  expect(await registryRows(owned)).toEqual(['0']);
  expect(await registryRows(`select tableowner from pg_tables where tablename = 'sessions'`)).toEqual(['holdfast']);
});

/** Lines of `kubectl auth can-i --list`: resources, URLs, names, verbs. */
async function beyondAnyAccount(account: string, namespace: string): Promise<string[]> {
  const common = new Set(await mayDo(anyAccount, namespace));
  expect(common.size).toBeGreaterThan(0);
  return (await mayDo(account, namespace)).filter((line) => !common.has(line));
}

async function mayDo(account: string, namespace: string): Promise<string[]> {
  const list = await kubectl(['-n', namespace, 'auth', 'can-i', '--list', '--no-headers', `--as=${account}`]);
  return list
    .split('\n')
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .filter((line) => line !== '')
    .sort();
}

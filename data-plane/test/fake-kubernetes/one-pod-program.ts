import { eventually } from '../support/eventually.ts';
import { apiClient, podManifest } from './api-client.ts';
import { startFakeKubernetes } from './start-fake-kubernetes.ts';

// Runs one agent and prints its pod's uid. The test that started this program ends it.
const fake = await startFakeKubernetes();
const { body } = await apiClient(fake).call('POST', '/pods', { body: podManifest('a') });
const { uid } = body.metadata;
await eventually(() => {
  if (fake.pods.find('a')?.status.phase !== 'Running') throw new Error('the pod does not run');
});
console.log(uid);

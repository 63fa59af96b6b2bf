import { BlockList, isIPv6 } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { type KubernetesObject, theOne } from './kubernetes-object.ts';
import { kustomized, templated } from './render.ts';

const renderings: [string, () => Promise<KubernetesObject[]>][] = [
  ['kustomize/base', () => kustomized('base')],
  ['the chart', () => templated(['production'])],
];

describe.each(renderings)('%s', (_, render) => {
  let objects: KubernetesObject[];
  beforeAll(async () => {
    objects = await render();
  });

  const policy = (name: string) => theOne(objects, 'NetworkPolicy', name, 'holdfast-sandboxes').spec;

  test('grants pods and events in the sandbox namespace, and nothing else anywhere', () => {
    const grants = objects.filter(({ apiVersion }) => apiVersion.startsWith('rbac.authorization.k8s.io/'));
    expect(grants.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`)).toEqual([
      'Role holdfast-sandboxes',
      'RoleBinding holdfast-sandboxes',
    ]);
    expect(grants[0]?.rules).toEqual([
      { apiGroups: [''], resources: ['pods'], verbs: ['create', 'get', 'list', 'watch', 'delete'] },
      { apiGroups: [''], resources: ['events'], verbs: ['list'] },
    ]);
    expect(grants[1]?.subjects).toEqual([{ kind: 'ServiceAccount', name: 'holdfast', namespace: 'holdfast' }]);
  });

  test('enforces the restricted Pod Security Standard in the sandbox namespace', () => {
    const namespace = objects.find(
      ({ kind, metadata }) => kind === 'Namespace' && metadata.name === 'holdfast-sandboxes',
    );
    expect(namespace?.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  });

  test('denies sandboxes all traffic in both directions by default', () => {
    expect(policy('default-deny')).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  });

  test('allows incoming traffic only from data-plane pods, and only to the agent', () => {
    const { ingress, podSelector } = policy('agents-from-data-plane');
    expect(podSelector.matchLabels).toEqual({ 'app.kubernetes.io/name': 'holdfast-sandbox' });
    expect(ingress).toHaveLength(1);
    expect(ingress[0].ports).toEqual([{ protocol: 'TCP', port: 8700 }]);
    // One peer with both selectors: two peers would be an "or".
    expect(ingress[0].from).toHaveLength(1);
    expect(ingress[0].from[0].namespaceSelector.matchLabels).toEqual({ 'kubernetes.io/metadata.name': 'holdfast' });
    expect(ingress[0].from[0].podSelector.matchLabels).toMatchObject({ 'app.kubernetes.io/component': 'data-plane' });
  });

  test('has no policy that lets a sandbox without network send anything, DNS queries included', () => {
    const labels: Record<string, string> = {
      'app.kubernetes.io/name': 'holdfast-sandbox',
      'holdfast.dev/network': 'none',
    };
    const ways = objects.filter(({ kind, metadata, spec }) => {
      if (kind !== 'NetworkPolicy' || metadata.namespace !== 'holdfast-sandboxes' || !spec.egress) return false;
      return Object.entries(spec.podSelector.matchLabels ?? {}).every(([name, value]) => labels[name] === value);
    });
    expect(ways).toEqual([]);
  });

  test.each([
    ['169.254.169.254', 'a metadata service'],
    ['fd00:ec2::254', 'a metadata service'],
    ['10.96.0.1', 'the API server'],
    ['10.244.3.7', 'a pod'],
    ['172.20.0.1', 'a node'],
    ['192.168.1.1', 'a router'],
    ['100.64.0.1', 'a carrier'],
    ['127.0.0.1', 'the loopback'],
    ['224.0.0.251', 'a multicast group'],
    ['255.255.255.255', 'a broadcast'],
    ['::1', 'the loopback'],
    ['fe80::1', 'a link-local address'],
    ['fd12:3456:789a::1', 'a unique-local address'],
    ['ff02::1', 'a multicast group'],
    ['::ffff:10.0.0.1', 'a mapped IPv4 address'],
    ['64:ff9b::a00:1', 'a translated IPv4 address'],
    ['2002:a00:1::1', 'a tunnelled IPv4 address'],
  ])('keeps the internet class from %s, %s', (address) => {
    expect(isAllowed(policy('internet').egress[0].to, address)).toBe(false);
  });

  test.each(['1.1.1.1', '151.101.0.223', '2606:4700:4700::1111', '2a04:4e42::223'])(
    'lets the internet class reach %s',
    (address) => {
      expect(isAllowed(policy('internet').egress[0].to, address)).toBe(true);
    },
  );
});

test('the chart opens further addresses to the internet class for DNS and nothing else', async () => {
  const option = '--set=sandboxes.networkPolicy.dnsAddresses={169.254.20.10,fd00::a}';
  const policies = await templated(['production'], option);
  const [internet, names] = theOne(policies, 'NetworkPolicy', 'internet', 'holdfast-sandboxes').spec.egress;
  expect(isAllowed(internet.to, '169.254.20.10')).toBe(false);
  expect(names.to.slice(1)).toEqual([{ ipBlock: { cidr: '169.254.20.10/32' } }, { ipBlock: { cidr: 'fd00::a/128' } }]);
  expect(names.ports).toEqual([
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
  ]);
});

type Peer = { ipBlock: { cidr: string; except: string[] } };

/** Whether an address is in the range of a block but not in that block's exceptions, as Kubernetes reads it. */
function isAllowed(peers: Peer[], address: string): boolean {
  return peers.some(({ ipBlock }) => isWithin([ipBlock.cidr], address) && !isWithin(ipBlock.except, address));
}

function isWithin(ranges: string[], address: string): boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    list.addSubnet(network, Number(prefix), isIPv6(network) ? 'ipv6' : 'ipv4');
  }
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

const loopbackName = String.raw`(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?`;
const loopbackHost = new RegExp(`^${loopbackName}$`, 'i');
const loopbackOrigin = new RegExp(`^https?://${loopbackName}$`, 'i');

type Heads = { host?: string; origin?: string; fetchSite?: string };

/**
 * The reason to believe that a request comes from a web page of another site, or null. A browser on this machine lets any page reach
 * loopback: through a name that resolves to it (DNS rebinding, seen in `Host`) or by a request across sites (seen in `Origin` and
 * `Sec-Fetch-Site`). Pure.
 */
export function foreignRequest({ host, origin, fetchSite }: Heads): string | null {
  if (host !== undefined && !loopbackHost.test(host)) return `the host ${JSON.stringify(host)} is not this machine`;
  if (origin !== undefined && !loopbackOrigin.test(origin)) {
    return `the origin ${JSON.stringify(origin)} is not this machine`;
  }
  return fetchSite?.toLowerCase() === 'cross-site' ? 'it comes from a page of another site' : null;
}

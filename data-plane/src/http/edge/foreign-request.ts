const loopbackName = String.raw`(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?`;
const loopbackHost = new RegExp(`^${loopbackName}$`, 'i');
const loopbackOrigin = new RegExp(`^https?://${loopbackName}$`, 'i');

type Heads = { host?: string; origin?: string; fetchSite?: string };

/**
 * What shows that a request comes from a web page of elsewhere, or null. A browser on this machine reaches loopback for any page: by a name
 * that is made to lead here (DNS rebinding, told by `Host`) or by a request across sites (told by `Origin` and `Sec-Fetch-Site`). Pure.
 */
export function foreignRequest({ host, origin, fetchSite }: Heads): string | null {
  if (host !== undefined && !loopbackHost.test(host)) return `the host ${JSON.stringify(host)} is not this machine`;
  if (origin !== undefined && !loopbackOrigin.test(origin)) {
    return `the origin ${JSON.stringify(origin)} is not this machine`;
  }
  return fetchSite?.toLowerCase() === 'cross-site' ? 'it comes from a page of another site' : null;
}

/** The domain of the host names of ports. `port` is null if it is the usual one, or that of the API's own address. */
export type PreviewDomain = { name: string; port: number | null; isSecure: boolean };

/** A port of a session. */
export type Place = { sessionId: string; port: number };

const label = /^([1-9]\d{0,4})-([0-9a-hjkmnp-tv-z]{26})$/;

export type PreviewHosts = ReturnType<typeof createPreviewHosts>;

/** The host names of ports: one for each port of each session, so that browsers keep their cookies and storage apart. Pure. */
export function createPreviewHosts({ name, port: ownPort, isSecure }: PreviewDomain) {
  const end = `.${name}`;
  const below = new RegExp(String.raw`\.${name.replaceAll('.', String.raw`\.`)}\.?(:\d*)?$`, 'i');

  return {
    isSecure,

    /** Whether a `Host` is below the domain, whether or not it is the name of a port. */
    isBelow: (host: string | undefined): boolean => host !== undefined && below.test(host),

    /** The port that a `Host` names, null if it names none. */
    placeOf(host: string): Place | null {
      const [hostname = ''] = host.toLowerCase().split(':');
      if (!hostname.endsWith(end)) return null;
      const [, port, session] = label.exec(hostname.slice(0, -end.length)) ?? [];
      if (Number(port) > 65_535 || !session) return null;
      return { sessionId: `ses_${session}`, port: Number(port) };
    },

    /** @param apiHost the `Host` by which the client reaches the API: in development, ports have the API's own port */
    urlOf({ sessionId, port }: Place, apiHost: string | undefined): string {
      const given = isSecure ? undefined : /:(\d{1,5})$/.exec(apiHost ?? '')?.[1];
      const at = ownPort ?? given;
      return `${isSecure ? 'https' : 'http'}://${port}-${sessionId.slice('ses_'.length)}${end}${at ? `:${at}` : ''}`;
    },
  };
}

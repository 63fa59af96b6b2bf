/**
 * The offered media type that an `Accept` header wants most (RFC 9110, 12.5.1): by q, then by how exactly it is named,
 * then by the order of the offer. The first one if nothing fits.
 */
export function negotiate<const Type extends string>(
  accept: string | undefined,
  offered: readonly [Type, ...Type[]],
): Type {
  const [fallback] = offered;
  if (!accept || accept === '*/*' || accept === fallback) return fallback;
  const ranges = accept.split(',').map(range);
  let best: Type = fallback;
  let bestRank: Rank = { q: 0, exactness: -1 };
  for (const type of offered) {
    const rank = rankOf(type, ranges);
    if (rank.q > bestRank.q || (rank.q === bestRank.q && rank.q > 0 && rank.exactness > bestRank.exactness)) {
      best = type;
      bestRank = rank;
    }
  }
  return best;
}

type Range = { type: string; q: number };
type Rank = { q: number; exactness: number };

function range(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  const value = q === undefined ? 1 : Number(q.slice(2));
  return { type, q: value >= 0 && value <= 1 ? value : 0 };
}

/** The most exact range that fits decides, so that `q=0` can take one out of a wildcard. */
function rankOf(type: string, ranges: readonly Range[]): Rank {
  const patterns = ['*/*', `${type.slice(0, type.indexOf('/'))}/*`, type];
  let rank: Rank = { q: 0, exactness: -1 };
  for (const { type: pattern, q } of ranges) {
    const exactness = patterns.indexOf(pattern);
    if (exactness > rank.exactness) rank = { q, exactness };
  }
  return rank;
}

import type { AskedFact, Fact, Need } from './fact.ts';

/** Where facts are asked, and what may be done for it. */
export interface Circumstances {
  /** Without a slash at its end. */
  readonly url: string;
  readonly may: readonly Need[];
}

/** The gateway of `npm start` listens on this machine alone, and nothing of AWS does. */
function isLocal(url: string): boolean {
  return /^(?:127\.|localhost$|\[::1\]$)/.test(new URL(url).hostname);
}

/** The fact with what there is to ask for it; or why it is not asked, in a line. */
export function planOf(fact: Fact, { url, may }: Circumstances): AskedFact | string {
  if ('byHand' in fact) return `by hand: ${fact.byHand}`;
  const asks = isLocal(url) ? fact.asks.filter(({ onlyOnAws }) => !onlyOnAws) : fact.asks;
  if (asks.length === 0) return 'not asked: on AWS alone';
  if (fact.needs && !may.includes(fact.needs)) return `not asked (use --${fact.needs})`;
  return { ...fact, asks };
}

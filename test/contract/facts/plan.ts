import type { AskedFact, Fact, Need } from './fact.ts';

/** The target of the requests, and the options that allow some of them. */
export interface Circumstances {
  /** The base URL, without a trailing slash. */
  readonly url: string;
  readonly may: readonly Need[];
}

/** Whether the URL is on this machine. The gateway of `npm start` listens only there, and API Gateway never does. */
function isLocal(url: string): boolean {
  return /^(?:127\.|localhost$|\[::1\]$)/.test(new URL(url).hostname);
}

/** Returns the fact with the requests that can be sent to this target, or one line that says why none is sent. */
export function planOf(fact: Fact, { url, may }: Circumstances): AskedFact | string {
  if ('byHand' in fact) return `by hand: ${fact.byHand}`;
  const asks = isLocal(url) ? fact.asks.filter(({ onlyOnAws }) => !onlyOnAws) : fact.asks;
  if (asks.length === 0) return 'not asked: on AWS alone';
  if (fact.needs && !may.includes(fact.needs)) return `not asked (use --${fact.needs})`;
  return { ...fact, asks };
}

import type { AskedFact, Exchange, Fact } from '../../test/contract/facts/fact.ts';
import { FACT_GROUPS } from '../../test/contract/facts/index.ts';
import { wordsOf } from '../../test/contract/facts/judging.ts';
import { curl } from './curl.ts';
import { fill } from './fill.ts';
import { table } from './table.ts';

/** Returns the page `docs/gateway-facts.md`. It lists the assumptions about API Gateway that only AWS can confirm. */
export function gatewayFactsPage(): string {
  const groups = FACT_GROUPS.map(({ heading, shows, facts }) => {
    const rows = facts.map((fact) => [fact.fact, fact.sure, fact.where, shownBy(fact), askedWhen(fact)]);
    return `## ${heading}\n\n${table(['Fact', 'Sure', 'Where it matters here', shows, 'Asked'], rows)}`;
  });
  return fill('docs/gateway-facts.md', { facts: groups.join('\n\n') });
}

function shownBy(fact: Fact): string {
  if ('byHand' in fact) return fact.byHand;
  const { given, asks } = fact;
  const requests = asks.map((exchange) => requestOf(exchange, fact)).join('; ');
  return given ? `of ${given.words}: ${requests}` : requests;
}

function requestOf(exchange: Exchange, { atOnce }: AskedFact): string {
  const [status, ...others] = wordsOf(exchange.sees);
  const seen = [status, ...others.map((words) => `\`${words}\``)].join(', ');
  const place = exchange.onlyOnAws ? ' (on AWS alone)' : '';
  const request = `\`${curl(exchange)}\``;
  const sent = atOnce === undefined ? `${request} is` : `of ${atOnce} times ${request} at once, some are`;
  return `${sent} ${seen}${place}`;
}

function askedWhen(fact: Fact): string {
  if ('byHand' in fact) return 'by hand';
  return fact.needs ? `with \`--${fact.needs}\`` : 'yes';
}

import type { AskedFact, Exchange, Fact } from '../../test/contract/facts/fact.ts';
import { FACT_GROUPS, FACTS_TITLE } from '../../test/contract/facts/index.ts';
import { wordsOf } from '../../test/contract/facts/judging.ts';
import { curl } from './curl.ts';
import { table } from './table.ts';

/** `docs/gateway-facts.md`: what only AWS can confirm. */
export function gatewayFactsPage(): string {
  return `${[
    '<!-- Made by `npm run docs` from test/contract/facts. Edit that. -->',
    `# ${FACTS_TITLE}`,
    INTRODUCTION,
    SURE,
    ASKED,
    REQUESTS,
    ...FACT_GROUPS.flatMap(({ heading, shows, facts }) => [
      `## ${heading}`,
      table(
        ['Fact', 'Sure', 'Where it matters here', shows, 'Asked'],
        facts.map((fact) => [fact.fact, fact.sure, fact.where, shownBy(fact), askedWhen(fact)]),
      ),
    ]),
  ].join('\n\n')}\n`;
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

const INTRODUCTION = `The local gateway (\`local/\`) stands in for an API Gateway REST API with \`binaryMediaTypes: ['*/*']\` and Lambda proxy
integration. Each line is one thing it takes for true, where that matters, and the request that would show it on AWS.`;

const SURE = `How sure a fact is: **docs** – AWS documents it; **seen** – others published what they saw on AWS; **assumed** – nothing
decisive was found, and the reading here is the one that can do no harm. Where a deployed API shows another answer, this
table, \`local/\` and its test change together.`;

const ASKED = `\`npm run verify -- <url>\` asks a deployment for each line and says which hold, with status, problem and headers of an answer
that is otherwise. With \`--load\` it also goes over the company's rate, which refuses the company's other requests for some
seconds; \`--firewall\` is for a stack with \`firewall=true\`. What does not show from outside it lists with what to do by hand.
\`npm run verify:local\` asks the local gateway for the same, but for what is *on AWS alone*.`;

const REQUESTS = `In the requests, \`$API\` is the base URL of a deployment, \`$BASE\` its path such as \`/prod\`, \`$KEY\` is \`<company id>:<API key>\`, \`$AUTH\` the same as the value of
\`Authorization\`, \`p.json\` a project, \`$ID\` the id of one, \`$X\` a text of your own, and \`c\` is \`curl -sS -i -u "$KEY"\`. What a
function got is seen in its log, or with a function that answers with its event.`;

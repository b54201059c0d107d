import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { LINE } from '../../../infra/api/access-logs.ts';
import { functionsOf } from '../../../infra/functions/catalogue.ts';
import type { ServiceName } from '../../../infra/functions/function-spec.ts';
import { queryText, SAVED_QUERIES } from '../../../infra/monitoring/saved-queries.ts';
import { read } from '../../docs/world.ts';
import { constructOf, propertiesOf } from '../template.ts';

const Definition = z.object({
  Name: z.string(),
  QueryString: z.string(),
  LogGroupNames: z.array(z.object({ Ref: z.string() })),
});

/** The fields of a line that a function logs. The fields of its cause have a name with a dot. */
const LOGGED = [
  ...[...read('lib/service/log.ts').matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name = '']) => name),
  'level',
  'cause.name',
  'cause.code',
];
const OF_INSIGHTS = ['@timestamp', '@message', '@log'];
/** The words of the query language. */
const WORDS = /^(fields|filter|stats|sort|limit|by|as|or|and|not|in|like|asc|desc|count|max|latest|ispresent|\d+|\*)$/;

/** Returns the names in a query: fields, and the names that the query itself gives. */
function namesIn(text: string): { readonly fields: string[]; readonly given: string[] } {
  const plain = text.replaceAll(/"[^"]*"|\/[^/]*\//g, ' ');
  const given = [...plain.matchAll(/ as (\w+)/g)].map(([, name = '']) => name);
  const words = plain.match(/[@\w.*]+/g) ?? [];
  return { given, fields: words.filter((word) => !WORDS.test(word) && !given.includes(word)) };
}

/** Tests the saved queries. */
export function queries(template: Template, service: ServiceName): void {
  const saved = [...propertiesOf(template, 'AWS::Logs::QueryDefinition').values()].map((one) => Definition.parse(one));

  it('are saved, each with the logs that it reads', () => {
    expect(saved.map(({ Name, QueryString }) => [Name, QueryString])).toEqual(
      SAVED_QUERIES.map((query) => [`Segue/Segue/${query.name}`, queryText(query)]),
    );
    const logsOf = (filter: (group: string) => boolean) =>
      functionsOf(service)
        .filter(({ alarmGroup }) => filter(alarmGroup))
        .map(({ name }) => `${constructOf(name)}Log`);
    const expected = {
      functions: [...logsOf(() => true), 'ApiAccessLogsLog'],
      background: logsOf((group) => group === 'Background'),
      api: ['ApiAccessLogsLog'],
    };
    for (const [index, { LogGroupNames }] of saved.entries()) {
      const names = LogGroupNames.map(({ Ref }) => Ref.replace(/[0-9A-F]{8}$/, ''));
      expect(names).toEqual(expected[SAVED_QUERIES[index]?.logs ?? 'functions']);
      // CloudWatch allows 50 logs in a query.
      expect(names.length).toBeLessThanOrEqual(50);
    }
  });

  it.each(SAVED_QUERIES)('$name uses only fields that its logs have', (query) => {
    const { fields } = namesIn(queryText(query));
    const known = query.logs === 'api' ? [...LOGGED, ...Object.keys(LINE)] : LOGGED;
    expect(fields.filter((name) => ![...known, ...OF_INSIGHTS].includes(name))).toEqual([]);
    expect(fields.length).toBeGreaterThan(1);
  });
}

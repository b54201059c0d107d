import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { LINE } from '../../../infra/api/access-logs.ts';
import { queryText, SAVED_QUERIES } from '../../../infra/monitoring/saved-queries.ts';
import { read } from '../../docs/world.ts';
import { propertiesOf } from '../template.ts';

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
const OF_INSIGHTS = ['@timestamp', '@message', '@logStream'];
/** The words of the query language. */
const WORDS =
  /^(fields|filter|parse|stats|sort|limit|by|as|or|and|not|in|like|asc|desc|count|max|latest|ispresent|\d+|\*)$/;

/** Returns the names in a query: fields, and the names that the query itself gives. */
function namesIn(text: string): { readonly fields: string[]; readonly given: string[] } {
  const plain = text.replaceAll(/"[^"]*"|\/[^/]*\//g, ' ');
  const given = [...text.matchAll(/ as (\w+)|\(\?<(\w+)>/g)].map(([, name, captured]) => name ?? captured ?? '');
  const words = plain.match(/[@\w.*]+/g) ?? [];
  return { given, fields: words.filter((word) => !WORDS.test(word) && !given.includes(word)) };
}

/** Tests the saved queries. */
export function queries(template: Template): void {
  const saved = [...propertiesOf(template, 'AWS::Logs::QueryDefinition').values()].map((one) => Definition.parse(one));

  it('are saved, each with the logs that it reads', () => {
    expect(saved.map(({ Name, QueryString }) => [Name, QueryString])).toEqual(
      SAVED_QUERIES.map((query) => [`Segue/Segue/${query.name}`, queryText(query)]),
    );
    const expected = {
      functions: ['HttpLog', 'TasksLog', 'BackgroundLog', 'ApiAccessLogsLog'],
      background: ['BackgroundLog'],
      api: ['ApiAccessLogsLog'],
    };
    for (const [index, { LogGroupNames }] of saved.entries()) {
      const names = LogGroupNames.map(({ Ref }) => Ref.replace(/[0-9A-F]{8}$/, ''));
      expect(names).toEqual(expected[SAVED_QUERIES[index]?.logs ?? 'functions']);
    }
  });

  it('find the function of a line in the name of its stream', () => {
    const [, pattern = ''] = /parse @logStream \/(.+)\/$/m.exec(SAVED_QUERIES.map(queryText).join('\n')) ?? [];
    const stream = '2026/11/20/Segue-ChangeProjectsLambda0BE17A2C-a1B2c3D4e5F6[$LATEST]0123456789abcdef';
    expect(new RegExp(pattern).exec(stream)?.groups).toEqual({
      functionName: 'Segue-ChangeProjectsLambda0BE17A2C-a1B2c3D4e5F6',
    });
  });

  it.each(SAVED_QUERIES)('$name uses only fields that its logs have', (query) => {
    const { fields } = namesIn(queryText(query));
    const known = query.logs === 'api' ? [...LOGGED, ...Object.keys(LINE)] : LOGGED;
    expect(fields.filter((name) => ![...known, ...OF_INSIGHTS].includes(name))).toEqual([]);
    expect(fields.length).toBeGreaterThan(1);
  });
}

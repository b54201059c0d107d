import type { Exchange, FactGroup, Sees } from './fact.ts';

/**
 * Reads a project that need not exist. A deletion would show the same, but would delete too much if the fact were
 * wrong.
 */
function read(query: string, sees: Sees): Exchange {
  return { path: `/segments/projects/1?${query}`, sees };
}

export const QUERY: FactGroup = {
  heading: 'Query',
  shows: 'The request',
  facts: [
    {
      fact: 'Names and values are decoded once, and `+` is a space.',
      sure: 'seen (aws/aws-cdk#19827)',
      where: '`taskId` is compared as it arrives.',
      given: {
        words: 'a project with the task `a b+c`',
        fields: () => ({ segments: [{ content: 'x', taskId: 'a b+c' }] }),
      },
      asks: [{ path: '/segments/projects/$ID?task%49d=a+b%2Bc', sees: { status: 200, body: /"taskId":"a b\+c"/ } }],
    },
    {
      fact: "`?taskId` and `?taskId=` are the value `''`.",
      sure: 'assumed',
      where: 'Both are 400, and delete nothing.',
      asks: ['taskId', 'taskId='].map((query) => read(query, { status: 400, problem: 'invalid-parameter' })),
    },
    {
      fact: 'Without a parameter both query fields are `null`.',
      sure: 'docs',
      where: '`local/target.ts`',
      asks: [{ path: '/segments/projects?', sees: { status: 200 } }],
    },
    {
      fact: 'A repeated parameter has every value in `multiValueQueryStringParameters`, the last one in `queryStringParameters`.',
      sure: 'docs',
      where: 'Segue notices repeated parameters, and answers 400.',
      asks: [read('taskId=1&taskId=2', { status: 400, problem: 'invalid-parameter' })],
    },
    {
      fact: '`;` separates parameters like `&`.',
      sure: 'docs (important notes)',
      where: '`?taskId=1;x` is 400 `unknown-parameter`, not the task `1;x`.',
      asks: [read('taskId=1;x', { status: 400, problem: 'unknown-parameter' })],
    },
    {
      fact: 'Raw `|`, `{` and `}` in a query are 400.',
      sure: 'docs (important notes), seen (yezyilomo/django-restql#279)',
      where: '`local/target.ts`',
      asks: ['taskId={', 'taskId=}', 'taskId=|'].map((query) => read(query, { status: 400 })),
    },
  ],
};

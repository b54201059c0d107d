import type { FactGroup } from './fact.ts';
import { ANY_PROJECT } from './made.ts';

export const PATHS: FactGroup = {
  heading: 'Paths and methods',
  shows: 'The request',
  facts: [
    {
      fact: '`path` of the event is percent-encoded as it was sent.',
      sure: 'seen (hotsock/voker#8)',
      where:
        'Ids are read from their place in `path` and decoded once: `lib/http/request.ts`, `lib/http/project-ref.ts`.',
      given: { words: 'a project with the custom id `$X%2Fb`', fields: (x) => ({ customId: `${x}%2Fb` }) },
      asks: [{ path: '/segments/projects/custom/$X%252Fb', sees: { status: 200 } }],
    },
    {
      fact: '`pathParameters` are decoded once.',
      sure: 'docs (important notes: REST APIs decode parameters)',
      where: 'Nothing in Segue reads them; `local/event.ts` leaves them out.',
      byHand: 'the same, with a function that answers with its event: `pathParameters.customId` has `%2F`',
    },
    {
      fact: 'Paths are matched before they are decoded: `a%2Fb` is one segment.',
      sure: 'seen (hotsock/voker#8)',
      where: '`local/target.ts`; custom ids with `/`.',
      given: { words: 'a project with the custom id `$X/b`', fields: (x) => ({ customId: `${x}/b` }) },
      asks: [{ path: '/segments/projects/custom/$X%2Fb', sees: { status: 200 } }],
    },
    {
      fact: 'A percent-encoded letter of a static segment matches nothing.',
      sure: 'assumed',
      where: '`local/target.ts`',
      asks: [{ path: '/segments/project%73', sees: { status: 404, problem: 'route-not-found' } }],
    },
    {
      fact: 'The gateway ignores one slash at the end when it matches a path. The slash stays in `path`, and is in no path parameter.',
      sure: 'seen (aws-powertools/powertools-lambda-python#1609, end-to-end tests)',
      where: '`/segments/projects/` lists; `DELETE /segments/projects/42/` finds no id, and is 404.',
      given: ANY_PROJECT,
      asks: [
        { path: '/segments/projects/', sees: { status: 200 } },
        { path: '/segments/projects/$ID/', sees: { status: 404, problem: 'project-not-found' } },
        { method: 'DELETE', path: '/segments/projects/$ID/', sees: { status: 404, problem: 'project-not-found' } },
      ],
    },
    {
      fact: 'An empty segment is not a parameter: `/segments/projects//` leads nowhere.',
      sure: 'assumed',
      where: '`local/target.ts`',
      asks: [{ path: '/segments/projects//', sees: { status: 404, problem: 'route-not-found' } }],
    },
    {
      fact: 'The MOCK integration of `ANY` takes its `$default` request template for a body of any type but JSON; without that it would be 415.',
      sure: 'assumed',
      where: '`infra/api/gateway-body.ts`: 405 whatever the body is.',
      asks: [
        {
          method: 'PUT',
          path: '/health',
          anonymous: true,
          headers: [['Content-Type', 'text/plain']],
          body: 'x',
          sees: { status: 405, problem: 'method-not-allowed' },
        },
      ],
    },
    {
      fact: "A gateway response's `Content-Type` can be set to `application/problem+json`, with its template under `application/json`.",
      sure: 'assumed',
      where: '`infra/api/gateway-answers.ts`',
      asks: [
        {
          path: '/nowhere',
          anonymous: true,
          sees: { status: 404, headers: { 'content-type': /^application\/problem\+json$/ } },
        },
      ],
    },
    {
      fact: 'A static segment wins over a parameter if it leads to an operation. Otherwise the parameter gets the segment.',
      sure: 'docs for the first half, assumed for the second',
      where:
        '`/segments/projects/custom` is the project with the id `custom`, which is 404. `/segments/projects/custom/segments` is the project with the custom id `segments`, not the segments of the project `custom`.',
      asks: [{ path: '/segments/projects/custom', sees: { status: 404, problem: 'project-not-found' } }],
    },
    {
      fact: '`.` and `..` are ordinary segments.',
      sure: 'assumed',
      where: '`local/target.ts`; the contract forbids such custom ids.',
      asks: [{ path: '/segments/projects/..', sees: { status: 404, problem: 'project-not-found' } }],
    },
    {
      fact: 'An unknown path is MISSING_AUTHENTICATION_TOKEN, whose status and body can be changed.',
      sure: 'docs',
      where: '404 `route-not-found`, without credentials.',
      asks: [{ path: '/nowhere', anonymous: true, sees: { status: 404, problem: 'route-not-found' } }],
    },
    {
      fact: '`ANY` takes each method that the resource lacks, OPTIONS too, and a MOCK integration answers without an authorizer.',
      sure: 'docs',
      where: '405 with `Allow`.',
      asks: [
        ...['PUT', 'OPTIONS'].map((method) => ({
          method,
          path: '/segments/projects',
          anonymous: true as const,
          sees: { status: 405, problem: 'method-not-allowed', headers: { allow: /^POST, GET, HEAD$/ } } as const,
        })),
      ],
    },
    {
      fact: 'HEAD has a method of its own on a resource; its answer has the headers of the integration’s answer, and no body.',
      sure: 'assumed: RFC 9110 forbids the body',
      where:
        'HEAD calls the function of GET, which answers as it answers GET; `local/response.ts` leaves the body out.',
      asks: [
        {
          method: 'HEAD',
          path: '/health',
          anonymous: true,
          sees: { status: 200, headers: { 'content-type': /^application\/json$/ }, body: /^$/ },
        },
      ],
    },
    {
      fact: 'A stray `%` anywhere in the URL is 400, before the gateway looks for the API.',
      sure: 'seen (adamchainz/apig-wsgi#102, ustayready/fireprox#27)',
      where:
        "`local/target.ts`. Here it comes after 404, 405 and missing credentials, in the contract's order, with a problem as its body. AWS answers earlier, with a text of its own.",
      asks: [
        { path: '/segments/projects/1?taskId=%25%', sees: { status: 400 } },
        { path: '/segments/projects/%', sees: { status: 400 } },
        { path: '/nowhere?x=%', anonymous: true, sees: { status: 400 }, onlyOnAws: true },
      ],
    },
    {
      fact: 'In a query, encoded bytes that are not UTF-8 are 400; in a path they reach the function. Raw bytes outside ASCII are 400 in both.',
      sure: 'assumed',
      where: '`local/target.ts`; the function answers 404.',
      asks: [
        { path: '/segments/projects/1?taskId=%ff', sees: { status: 400 } },
        { path: '/segments/projects/%ff', sees: { status: 404, problem: 'project-not-found' } },
        { path: '/segments/projects/1?taskId=\xe4', sees: { status: 400 } },
        { path: '/segments/projects/\xe4', sees: { status: 400 } },
      ],
    },
  ],
};

import type { FactGroup } from './fact.ts';
import { letters } from './made.ts';

export const HEADERS: FactGroup = {
  heading: 'Headers',
  shows: 'The request',
  facts: [
    {
      fact: 'Names keep their case; `headers` has the last of several values, `multiValueHeaders` all.',
      sure: 'docs',
      where: 'Functions ignore the case of header names.',
      asks: [
        {
          path: '/segments/projects',
          headers: [['aCCept', 'text/html']],
          sees: { status: 406, problem: 'not-acceptable' },
        },
        {
          path: '/segments/projects',
          headers: [
            ['aCCept', 'application/json'],
            ['aCCept', 'text/html'],
          ],
          sees: { status: 200 },
        },
      ],
    },
    {
      fact: "`X-Forwarded-For` gets the client's address at its end; `X-Forwarded-Port` and `-Proto` are the gateway's own.",
      sure: 'docs',
      where: '`local/event.ts`; the scheme of `Location`.',
      // One of these values differs from the scheme of the base URL. The problem's page must still have the right
      // scheme.
      asks: ['http', 'https'].map((scheme) => ({
        path: '/segments/projects/custom',
        headers: [['X-Forwarded-Proto', scheme]],
        sees: { status: 404, problem: 'project-not-found' },
      })),
    },
    {
      fact: 'A client chooses `$context.requestId` by the header `X-Amzn-RequestId`, and never `$context.extendedRequestId`.',
      sure: 'docs for the second, seen for the first',
      where: 'Every request id of Segue is the extended one: `lib/http/request.ts`, `infra/api/gateway-answers.ts`.',
      asks: ['/health', '/nowhere'].map((path) => ({
        path,
        anonymous: true,
        headers: [['X-Amzn-RequestId', 'chosen']],
        sees: { status: path === '/health' ? 200 : 404, headers: { 'x-request-id': /^(?!chosen).{10,}$/ } },
      })),
    },
    {
      fact: 'Request line and headers may have 10,240 bytes together.',
      sure: 'docs (quotas)',
      where: "The local gateway accepts Node's 16 KB, so that the longest task id in any script fits.",
      asks: [
        { path: '/health', anonymous: true, headers: [['X', letters(9_000)]], sees: { status: 200 } },
        {
          path: '/health',
          anonymous: true,
          headers: [['X', letters(11_000)]],
          sees: { status: '4xx' },
          onlyOnAws: true,
        },
      ],
    },
    {
      fact: 'A request with another host never reaches the API.',
      sure: 'docs',
      where: 'The local gateway takes any valid host as the base URL. An invalid host is 400, and so are two hosts.',
      asks: [
        { path: '/health', anonymous: true, headers: [['Host', 'a"b']], sees: { status: '4xx' } },
        {
          path: '/health',
          anonymous: true,
          headers: [['Host', 'www.example.com']],
          sees: { status: '4xx' },
          onlyOnAws: true,
        },
      ],
    },
  ],
};

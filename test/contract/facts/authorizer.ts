import type { FactGroup } from './fact.ts';
import { ANY_PROJECT } from './made.ts';

const LIST = '/segments/projects';
const UNAUTHORIZED = {
  status: 401,
  problem: 'unauthenticated',
  headers: { 'www-authenticate': /^Basic .*Bearer / },
} as const;

export const AUTHORIZER: FactGroup = {
  heading: 'Authorizer',
  shows: 'The request',
  facts: [
    {
      fact: 'Without a value of the identity source (`Authorization`, in any case of letters) the answer is UNAUTHORIZED, and the function is not called.',
      sure: 'docs',
      where: '`local/authorizer.ts`',
      asks: [
        { path: LIST, anonymous: true, sees: UNAUTHORIZED },
        { path: LIST, anonymous: true, headers: [['aUTHORIZATION', '$AUTH']], sees: { status: 200 } },
      ],
    },
    {
      fact: 'Two `Authorization` headers are UNAUTHORIZED.',
      sure: 'assumed: nobody could say which one is the caller',
      where: '`local/authorizer.ts`',
      asks: [
        ['$AUTH', 'x'],
        ['x', '$AUTH'],
      ].map((values) => ({
        path: LIST,
        anonymous: true,
        headers: values.map((value) => ['Authorization', value] as const),
        sees: UNAUTHORIZED,
      })),
    },
    {
      fact: 'An error with the message `Unauthorized` is UNAUTHORIZED, another one AUTHORIZER_FAILURE, an unusable answer AUTHORIZER_CONFIGURATION_ERROR.',
      sure: 'docs',
      where: '401 or 500',
      asks: [{ path: LIST, anonymous: true, headers: [['Authorization', 'Basic eDp5']], sees: UNAUTHORIZED }],
    },
    {
      fact: 'The policy is kept for the value of the identity source and judged for each method, denials too; errors are not kept.',
      sure: 'docs',
      where: 'A policy must be complete; a revoked key lives on for the time to live (30 s).',
      given: ANY_PROJECT,
      asks: [
        { path: '/segments/projects/$ID', sees: { status: 200 } },
        { path: '/integrations/languages', sees: { status: 200 } },
        { method: 'DELETE', path: '/segments/projects/$ID', sees: { status: 204 } },
      ],
    },
    {
      fact: '`*` in a resource of a policy covers slashes.',
      sure: 'docs',
      where: '`lib/http/authorizer.ts`; the local gateway does not read policies.',
      asks: [
        { path: '/segments/projects/custom/$X', sees: { status: 404, problem: 'project-not-found' } },
        { path: '/segments/projects/custom/$X/', sees: { status: 404, problem: 'project-not-found' } },
      ],
    },
    {
      fact: 'A denial is ACCESS_DENIED.',
      sure: 'docs',
      where: '401: whoever is denied here has no valid credentials; a missing scope is said by the function.',
      byHand:
        'an authorizer whose policy says `Deny`: 401 `unauthenticated`, and `response` is ACCESS_DENIED in the access log',
    },
    {
      fact: 'A usage plan is a token bucket for each API key, and what is over it is THROTTLED, 429; an authorizer can say whose bucket it is, so it is asked first.',
      sure: 'docs',
      where: '`lib/credentials/rate-limit.ts`: with `SEGUE_RATE`, a bucket for each company.',
      needs: 'load',
      atOnce: 300,
      asks: [{ path: '/integrations/languages', sees: { status: 429, problem: 'rate-limited' }, onlyOnAws: true }],
    },
    {
      fact: 'Values of the context arrive as text in `requestContext.authorizer`, beside `principalId` and `integrationLatency`; lists and objects are refused.',
      sure: 'docs',
      where: 'Scopes travel as one text.',
      asks: [{ path: LIST, sees: { status: 200 } }],
    },
  ],
};

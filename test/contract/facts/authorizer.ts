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
      fact: 'Without the identity source (`Authorization`, in any case), the answer is UNAUTHORIZED, and the gateway does not call the function.',
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
      fact: 'A denial is ACCESS_DENIED, with the status of the gateway response, and its template can read the context of the denial: `$context.authorizer.reason`. A value that is absent is an empty text.',
      sure: 'docs, assumed for an absent value',
      where: '401: a denial means invalid credentials. The function reports a missing scope, and a suspended company.',
      asks: [{ path: LIST, anonymous: true, headers: [['Authorization', 'Basic eDp5']], sees: UNAUTHORIZED }],
    },
    {
      fact: 'An error of the authorizer is AUTHORIZER_FAILURE, an unusable answer AUTHORIZER_CONFIGURATION_ERROR.',
      sure: 'docs',
      where: '503',
      byHand: 'an authorizer that throws: 503 `unavailable`, and `response` is AUTHORIZER_FAILURE in the access log',
    },
    {
      fact: 'The gateway caches the policy, also a denial, for each pair of the identity sources (`Authorization` and the sender’s address), and evaluates it for each method. It does not cache errors.',
      sure: 'docs',
      where:
        'A policy must be complete. A revoked key works until the cache expires (30 s). The local gateway caches no denial.',
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
      fact: 'A usage plan is a token bucket for each API key. A request above it is THROTTLED, 429. The authorizer names the bucket, so the gateway calls it first.',
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

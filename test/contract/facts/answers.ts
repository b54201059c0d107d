import type { FactGroup } from './fact.ts';

export const ANSWERS: FactGroup = {
  heading: 'Answers',
  shows: 'The request',
  facts: [
    {
      fact: 'If a function throws, or its answer is malformed or has unknown fields, the gateway answers.',
      sure: 'docs',
      where: "500 `internal-error`, with the status of the catalogue in place of AWS's 502.",
      byHand:
        'a function that throws: `aws lambda update-function-configuration --function-name <of health> --handler nowhere.handler`, then `curl -i "$API/health"` is 500 `internal-error`; deploy again',
    },
    {
      fact: 'An answer of more than 6,291,556 bytes of JSON is lost, after the function did its work.',
      sure: 'docs',
      where: '500 `internal-error`, whose outcome is `unknown`; functions answer 406 before they begin.',
      byHand:
        'a function that answers with so many bytes: 500 `internal-error`; `c -H \'Accept-Encoding: identity\' "$API/segments/projects/1"` of a large project is 406',
    },
    {
      fact: 'After 29 s the answer is INTEGRATION_TIMEOUT. The function may continue.',
      sure: 'docs',
      where: '504 `outcome-unknown`',
      byHand: 'a slow upstream: 504 `outcome-unknown` after 29 s, and the line of the function later',
    },
    {
      fact: 'The 29 s include the start of a function. Lambda counts the time of a function only after its start.',
      sure: 'seen (serverless/serverless#11222)',
      where:
        'The deadline of a request begins at `requestContext.requestTimeEpoch`, the time of receipt: `lib/http/request.ts`. It may begin too early, never too late.',
      byHand:
        'a slow upstream, and a function that was just deployed: 202 or 504 with `Location` before 29 s are over, and not the 504 of INTEGRATION_TIMEOUT in the access log',
    },
    {
      fact: '`WWW-Authenticate` of a function becomes `x-amzn-Remapped-WWW-Authenticate`; likewise `Content-Length`, `Connection`, `Date`, `Server` and others.',
      sure: 'docs (important notes), for the exact list assumed',
      where:
        "Only the authorizer's 401 carries it under its own name. RFC 6749 requires it of `POST /oauth/token`, whose clients do not need it.",
      asks: [
        {
          method: 'POST',
          path: '/authentication/token',
          anonymous: true,
          sees: {
            status: 401,
            problem: 'unauthenticated',
            headers: { 'x-amzn-remapped-www-authenticate': /^Basic /, 'www-authenticate': null },
          },
        },
      ],
    },
    {
      fact: 'The gateway passes on `Location` and `Retry-After` of a function unchanged, with every status.',
      sure: 'assumed: neither is in the list of remapped headers',
      where: '202 and 504 link to the operation, and say when to poll it.',
      byHand:
        "`c -H 'Prefer: respond-async' -H 'Content-Type: application/json' -d @p.json \"$API/segments/projects\"`: 202 with `Location`; delete the project again",
    },
    {
      fact: 'The gateway merges `headers` and `multiValueHeaders`, each value once.',
      sure: 'docs',
      where: 'Functions send `headers` alone.',
      byHand: 'a function that sends both, with one value in both: the answer has it once',
    },
    {
      fact: 'Without a `Content-Type` a body is `application/json`.',
      sure: 'docs',
      where: '`local/response.ts`',
      byHand: 'a function that sends none: the answer has `Content-Type: application/json`',
    },
    {
      fact: "The `Content-Type` of a function passes unchanged, and a body marked as base64 is decoded for a browser's `Accept` too.",
      sure: 'docs',
      where: 'The pages of problem types are HTML.',
      asks: [
        {
          path: '/problems/unavailable',
          anonymous: true,
          headers: [['Accept', 'text/html,application/xhtml+xml,*/*;q=0.8']],
          sees: { status: 200, headers: { 'content-type': /^text\/html; charset=utf-8$/ }, body: /^<!doctype html>/i },
        },
      ],
    },
    {
      fact: 'A body marked as base64 is decoded whatever the client accepts, because `*/*` is binary.',
      sure: 'docs',
      where: 'Answers with gzip.',
      asks: [
        {
          path: '/integrations/languages',
          headers: [['Accept-Encoding', 'gzip']],
          sees: { status: 200, headers: { 'content-encoding': /^gzip$/ }, body: /^\[\{"id":/ },
        },
        {
          path: '/integrations/languages',
          headers: [['Accept', 'application/json']],
          sees: { status: 200, headers: { 'content-encoding': null }, body: /^\[\{"id":/ },
        },
      ],
    },
  ],
};

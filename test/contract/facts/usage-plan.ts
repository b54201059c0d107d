import type { FactGroup } from './fact.ts';

export const USAGE_PLAN: FactGroup = {
  heading: 'Usage plan',
  shows: 'The request',
  facts: [
    {
      fact: "With `apiKeySource: AUTHORIZER`, the authorizer's `usageIdentifierKey` is the value of an API key. The gateway ignores an `x-api-key` of the caller.",
      sure: 'docs',
      where: '`lib/credentials/usage-plan-key.ts`; one key a company, so that its keys share one rate.',
      asks: [{ path: '/segments/projects', headers: [['x-api-key', 'x']], sees: { status: 200 } }],
    },
    {
      fact: 'A value is 20 to 128 characters; 64 hex characters are fine.',
      sure: 'docs for the length',
      where: '`lib/credentials/usage-plan-key.ts`',
      byHand:
        '`aws apigateway create-api-key --enabled --value …` with 64 hex characters: it answers with the id of a key',
    },
    {
      fact: 'An account has at most one key with a value, for all its APIs. The `methodArn` that an authorizer gets names the API, also behind a custom domain.',
      sure: 'docs',
      where:
        '`lib/credentials/usage-plan-key.ts`: the value is derived from the API’s id, so that two stacks share no key.',
      asks: [{ path: '/segments/projects', sees: { status: 200 }, onlyOnAws: true }],
    },
    {
      fact: 'A value that is not a key of the plan is INVALID_API_KEY, after the authorizer.',
      sure: 'docs; the status, 403, is changed here',
      where: '401: a company is added to the plan before it gets its key.',
      byHand:
        'a company that is in the table and not in the plan: `aws apigateway delete-usage-plan-key --usage-plan-id <UsagePlanId> --key-id …`, and 30 s later `c "$API/segments/projects"` is 401 `unauthenticated`',
    },
    {
      fact: 'Over the rate the answer is THROTTLED, 429, whose headers can be set and do not say how much is left.',
      sure: 'docs',
      where: '`Retry-After: 1`',
      needs: 'load',
      atOnce: 300,
      asks: [
        {
          path: '/segments/projects?limit=1',
          sees: {
            status: 429,
            problem: 'rate-limited',
            headers: { 'retry-after': /^1$/, 'x-ratelimit-remaining': null, 'ratelimit-remaining': null },
          },
          onlyOnAws: true,
        },
      ],
    },
    {
      fact: "The stage's rate for `/*/*` holds for each method by itself. A stage has no rate for all methods together, but the account has one.",
      sure: 'docs',
      where: '`methodRate` of `infra/options.ts`',
      byHand:
        'the stage with a rate of 1 and a burst of 1, and at once `curl -i "$API/health"` and `curl -i "$API/problems/unavailable"`, again and again: some of each are 200 within the same second',
    },
    {
      fact: 'A rate of one method replaces the rate for `/*/*`. The setting names the path with `~1` for each slash but the first.',
      sure: 'docs',
      where: '`infra/api/method-rates.ts`',
      byHand:
        'of 100 times `curl -i "$API/openapi.json"` at once, some are 429 `rate-limited`; `aws apigateway get-stage --rest-api-id <ApiId> --stage-name prod` shows the limits of each method',
    },
    {
      fact: 'A key can be in one usage plan of a stage only. A key that leaves one plan can join another at once. Until it has, its requests are INVALID_API_KEY.',
      sure: 'docs for one plan, assumed for the rest',
      where:
        '`packages/cli/usage-plans.ts`: `segue company plan` takes the key out of one plan and adds it to the other.',
      byHand:
        '`company plan acme --rate 5 --stack <name>`, and meanwhile `c "$API/segments/projects?limit=1"` again and again: 200, at most some 401 for less than a minute, and then 429 above 5 a second',
    },
    {
      fact: 'A usage plan with the stage of a deleted API can be deleted.',
      sure: 'assumed: a plan with a live stage cannot',
      where: '`docs/remove-stack.md`',
      byHand: 'a company with a plan of its own, its stack deleted, and the commands of that page',
    },
    {
      fact: 'Rates are approximate.',
      sure: 'docs',
      where: 'Nothing relies on them.',
      byHand: 'the same, counted: about as many are 200 as the plan has for its burst, and not exactly',
    },
    {
      fact: 'The gateway caches the key with the policy, for the same 30 seconds.',
      sure: 'assumed',
      where: 'A company that was removed from the plan still has access for that time.',
      byHand: 'two requests, with the key deleted between them: the second is 200 too, and 401 after 30 s',
    },
  ],
};

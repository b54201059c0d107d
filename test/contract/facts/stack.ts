import type { FactGroup } from './fact.ts';
import { ANY_PROJECT } from './made.ts';

export const STACK: FactGroup = {
  heading: 'What the stack takes for true',
  shows: 'How it shows',
  facts: [
    {
      fact: 'A line that a Node function writes to standard error is an event of its log as it is, without the prefix that `console` gets.',
      sure: 'seen (aws/aws-lambda-nodejs-runtime-interface-client)',
      where: 'Metric filters read it as JSON: `infra/monitoring/metrics.ts`.',
      byHand: "`aws logs filter-log-events --filter-pattern '{ $.durationMs >= 0 }'` finds the line of each request",
    },
    {
      fact: "A filter's value may be a number below zero, and `SUM([a, b])` adds those that have a value.",
      sure: 'assumed',
      where: 'Failures that the contract asks for are taken off: `infra/monitoring/metrics.ts`.',
      byHand: 'a project with a proofreader and no translator, and the alarm ServerErrors: it stays `OK`',
    },
    {
      fact: 'An alarm that takes missing data for missing has insufficient data until its metric has a value, tells nobody of that, and of coming back to it.',
      sure: 'docs',
      where: 'The silence of what runs by a schedule: `infra/monitoring/alarms.ts`.',
      byHand:
        'a first deployment with `alarmTopicArn`: the topic hears nothing of SweeperBacklog but that it is `OK`; then the rule disabled: it hears `INSUFFICIENT_DATA` within half an hour',
    },
    {
      fact: 'A transaction needs the actions of its parts and none of its own.',
      sure: 'docs',
      where: '`infra/stores/tables.ts`',
      given: ANY_PROJECT,
      asks: [{ path: '/segments/projects/$ID', sees: { status: 200 }, onlyOnAws: true }],
    },
    {
      fact: 'S3 says 404 of an object that is gone to who may list the bucket, and 403 to others.',
      sure: 'docs',
      where: '`infra/stores/buckets.ts`',
      byHand: "a read at the moment of a large project's deletion: 404 `project-not-found`, never 503",
    },
    {
      fact: 'A version of an object in a bucket without versions is `null`, and its deletion by that name needs `s3:DeleteObjectVersion`.',
      sure: 'docs',
      where: 'The sweeper deletes whatever versions there are.',
      byHand:
        "the deletion of a large project, with the sweeper's log: a line without `cause`, and `aws s3api list-object-versions --bucket <BucketName>` has it no more",
    },
    {
      fact: 'An event source mapping asks for `dynamodb:ListStreams`, which no resource narrows.',
      sure: 'docs',
      where: '`infra/functions/add-triggers.ts`',
      byHand: 'a deployment without it: it fails at the mapping',
    },
    {
      fact: 'Secrets Manager calls a rotation with `aws:SourceAccount`, and takes no first rotation for done with `RotateImmediatelyOnUpdate: false`.',
      sure: 'docs',
      where: '`infra/stores/secrets.ts`',
      byHand:
        '`aws secretsmanager describe-secret --secret-id <SigningSecretArn>` after a deployment: `RotationEnabled`, and no `LastRotatedDate`',
    },
    {
      fact: 'With `RotateImmediatelyOnUpdate: false` a deployment asks a rotation for `testSecret` alone, of a pending version that holds nothing or a copy, and takes that version away.',
      sure: 'docs, for what the version holds assumed',
      where: '`lib/credentials/signing-key-rotation.ts` takes either for good.',
      byHand:
        "a deployment, with the rotation's log: one line without `cause`, and `aws secretsmanager list-secret-version-ids` has no `AWSPENDING`",
    },
    {
      fact: 'A rotation that failed is run again from its first step, with the same version, whatever was done of it.',
      sure: 'assumed',
      where:
        '`lib/credentials/signing-key-rotation.ts`: each step may come any number of times, and as late as it likes.',
      byHand:
        'a rotation whose function may not be called after `createSecret`: `aws secretsmanager describe-secret` has its version pending, and a later `rotate-secret` goes on with it',
    },
    {
      fact: "CloudFormation generates a secret's value anew only where `GenerateSecretString` itself has changed.",
      sure: 'docs',
      where: '`infra/stores/secrets.ts`',
      byHand:
        'two deployments, with a rotation between them: `aws secretsmanager list-secret-version-ids` has the same `AWSCURRENT` before and after the second',
    },
    {
      fact: "Behind a domain's base path `$context.path` begins with it and `$context.stage` is still the API's own.",
      sure: 'docs',
      where: '`infra/api/gateway-answers.ts` has the place as text; functions take it from `requestContext.path`.',
      asks: [
        { path: '/nowhere', anonymous: true, sees: { status: 404, problem: 'route-not-found' } },
        { path: '/segments/projects/custom', sees: { status: 404, problem: 'project-not-found' } },
      ],
    },
    {
      fact: 'A request that WAF refuses is WAF_FILTERED, whose status, 403, and body can be changed.',
      sure: 'docs',
      where: 'With `firewall=true`: `lib/contract/gateway-responses.ts`.',
      needs: 'firewall',
      asks: [
        {
          path: '/health',
          anonymous: true,
          headers: [['User-Agent', '']],
          sees: { status: 400, problem: 'invalid-header' },
          onlyOnAws: true,
        },
      ],
    },
  ],
};

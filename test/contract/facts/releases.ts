import type { FactGroup } from './fact.ts';

/** What a deployment of a new version assumes about CloudFormation, CodeDeploy and Lambda. */
export const RELEASES: FactGroup = {
  heading: 'What releases take for true',
  shows: 'How it shows',
  facts: [
    {
      fact: 'An update that passes `UsePreviousValue` for a parameter keeps its value, also if the default has changed. `cdk deploy` passes it for each parameter that the stack has. CloudFormation checks the rules of a template with these values before it changes anything.',
      sure: 'docs; for the CDK seen (aws-cdk, TemplateParameters)',
      where: 'The guard of the stage: `infra/stage-guard.ts`.',
      byHand:
        'a stack of production, then `npx cdk deploy -c stackName=Segue -c stage=development`: it fails with the text of the rule, and `aws cloudformation describe-stack-events` has no change of a resource',
    },
    {
      fact: 'CloudFormation waits for CodeDeploy to shift an alias, and shifts all aliases at the same time.',
      sure: 'docs; that it happens at the same time is assumed',
      where: '`infra/functions/gradual-rollout.ts`; the times in `docs/upgrade.md`',
      byHand:
        'a deployment that changes every function: meanwhile, `aws deploy list-deployments --include-only-statuses InProgress` lists one for each function behind the API, and the deployment takes less than 10 minutes',
    },
    {
      fact: 'If the alarm starts, CodeDeploy moves all requests back. The update of the alias fails, so CloudFormation rolls back the whole stack, also the aliases that had changed at once.',
      sure: 'docs',
      where: '`infra/functions/gradual-rollout.ts`',
      byHand:
        'a deployment in which `functions/background/deliveries.ts` throws: it fails within 5 minutes with the name of the alarm, and `aws lambda get-alias --name live` has the version before for every function',
    },
    {
      fact: 'A filter of terms, such as `?"internal-error" ?"Task timed out"`, matches lines that contain one of the texts, also inside JSON.',
      sure: 'docs',
      where: 'The alarm of rollouts: `infra/monitoring/metrics.ts`.',
      byHand:
        '`aws logs test-metric-filter --filter-pattern \'?"internal-error" ?"Task timed out"\' --log-event-messages \'{"problem":"internal-error"}\'` has one match',
    },
    {
      fact: 'CloudFormation deletes a version with `RetainExceptOnCreate` if the deployment that created it fails, and keeps it otherwise. After that, Lambda publishes the same code again.',
      sure: 'docs for the deletion, assumed for the code',
      where: '`infra/functions/deployed-function.ts`',
      byHand:
        'the failed deployment above, and again with `-c rollout=at-once`: it succeeds, and the function has a new version',
    },
    {
      fact: 'CloudFormation cannot delete a table that is protected from deletion. If a first deployment fails, it deletes resources with `RetainExceptOnCreate`, and skips those with `Retain`.',
      sure: 'docs; the failure for a protected table is assumed',
      where: '`infra/removal-policy.ts`, `infra/stores/tables.ts`',
      byHand:
        'a first deployment with `alarmTopicArn` of a topic in another account: it ends in ROLLBACK_COMPLETE, and of its buckets, secrets, logs and tables only the tables are left',
    },
    {
      fact: 'If a template changes an alias and removes its update policy, CloudFormation changes the alias itself, at once.',
      sure: 'assumed',
      where: '`-c rollout=at-once`, to deploy without CodeDeploy and its alarm.',
      byHand:
        'a deployment with `rollout=gradual`, then another version with `-c rollout=at-once`: no new deployment in `aws deploy list-deployments`',
    },
    {
      fact: 'CloudFormation creates a method only after the alias in its URI has changed, and deploys the API after its methods.',
      sure: 'docs: the order of dependencies',
      where: 'A new route never reaches a version that does not know it.',
      byHand:
        'a deployment that adds a route: the events of the stack show the alias, then the method, then the deployment of the API',
    },
    {
      fact: 'While CodeDeploy shifts an alias with provisioned concurrency, Lambda divides the environments between both versions by their weights, and CodeDeploy waits until they are started. Meanwhile, the number cannot change.',
      sure: 'docs; that CloudFormation then deploys code without an error is assumed',
      where: '`provisionedConcurrency`: `infra/functions/deployed-function.ts`',
      byHand:
        'a stack with `provisionedConcurrency` for `changeProjects`, then a deployment of other code: it succeeds, and `aws lambda get-provisioned-concurrency-config --qualifier live` is `READY`',
    },
  ],
};

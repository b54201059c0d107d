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
      where: '`infra/functions/alias-deployments.ts`; the times in `docs/upgrade.md`',
      byHand:
        'a deployment that changes every function: meanwhile, `aws deploy list-deployments --include-only-statuses InProgress` lists one for each function behind the API, and the deployment takes less than 10 minutes',
    },
    {
      fact: 'If the alarm starts, CodeDeploy moves all requests back. The update of the alias fails, so CloudFormation rolls back the whole stack, also the functions without versions, whose code had changed at once.',
      sure: 'docs',
      where: '`infra/functions/alias-deployments.ts`',
      byHand:
        'a deployment in which `functions/background/deliveries.ts` throws: it fails within 5 minutes with the name of the alarm, `aws lambda get-alias --name live` has the version before for every function behind the API, and `aws lambda get-function` the code before for `deliveries`',
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
      fact: 'If an update changes the configuration of a deployment group and a version behind it, CloudFormation changes the group first. A group whose alarms are not enabled deploys while its alarm is on.',
      sure: 'docs for the alarms, assumed for the order (the alias names its group)',
      where: '`-c rollout=at-once`, the way out of an incident: `infra/functions/alias-deployments.ts`.',
      byHand:
        'a deployment with `rollout=gradual`, the alarm RollbackAlarm set to `ALARM` by `aws cloudwatch set-alarm-state`, then other code with `-c rollout=at-once`: it succeeds, deletes no resource, and `aws deploy list-deployments` has deployments with `CodeDeployDefault.LambdaAllAtOnce`',
    },
    {
      fact: 'CodeDeploy deploys to an alias only while it points to the version that CloudFormation knows.',
      sure: 'assumed',
      where: 'The rollback of a single function in `docs/upgrade.md`.',
      byHand:
        '`aws lambda update-alias --name live` to an older version, then a deployment of other code with `-c rollout=at-once`: it fails; and it succeeds after the alias points to its former version again',
    },
    {
      fact: 'CloudFormation changes the code of a function without versions while its stream, queue, schedule and workflows call it, and no call is lost.',
      sure: 'docs (Lambda repeats failed batches, Step Functions retries `Lambda.ServiceException` and `Lambda.TooManyRequestsException`)',
      where: 'Functions for workflows and background work: `infra/functions/deployed-function.ts`.',
      byHand:
        'a bulk run of 1,000 lines and a webhook message a second during a deployment that changes every function: the run succeeds, each message is `done`, and the dead-letter queues are empty',
    },
    {
      fact: 'Lambda repeats a failed asynchronous call twice, and keeps calls that it cannot start for six hours, unless the function has an `EventInvokeConfig`.',
      sure: 'docs',
      where: 'Schedules: `infra/functions/add-triggers.ts`. `audit` has the default.',
      byHand:
        '`aws lambda get-function-event-invoke-config --function-name <sweeper>` has `MaximumRetryAttempts` 0 and `MaximumEventAgeInSeconds` 300; for `audit` there is none',
    },
    {
      fact: 'CloudFormation imports the definition of the API only after the aliases in its URIs have changed, and deploys the API after that.',
      sure: 'docs: the order of dependencies',
      where: 'A new route never reaches a version that does not know it.',
      byHand:
        'a deployment that adds a route: the events of the stack show the alias, then the API, then the deployment of the API',
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

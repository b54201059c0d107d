import type { FactGroup } from './fact.ts';
import { ANY_PROJECT } from './made.ts';

export const STACK: FactGroup = {
  heading: 'What the stack takes for true',
  shows: 'How it shows',
  facts: [
    {
      fact: 'In the definition of a REST API, two entries of `security`, an authorizer and an API key, both count: a method needs both.',
      sure: 'seen (aws/serverless-application-model writes them so)',
      where: '`infra/api/gateway-body.ts`',
      byHand:
        '`aws apigateway get-method --rest-api-id <ApiId> --resource-id <id> --http-method GET` of `/segments/projects` shows `CUSTOM` and `apiKeyRequired: true`',
    },
    {
      fact: 'With `Mode: overwrite`, an update of the definition removes paths that are no longer in it. It keeps the kind of endpoint that `Parameters` names, and takes the policy and the VPC endpoints from the definition.',
      sure: 'docs for the first; the rest is assumed',
      where: '`infra/api/api.ts`, `infra/api/endpoint.ts`',
      byHand:
        '`aws apigateway get-rest-api --rest-api-id <ApiId>` after an update shows the same endpoint and policy as before',
    },
    {
      fact: 'A line that a Node function writes to standard error becomes a log event unchanged, without the prefix of `console`.',
      sure: 'seen (aws/aws-lambda-nodejs-runtime-interface-client)',
      where: 'Metric filters read it as JSON: `infra/monitoring/metrics.ts`.',
      byHand: "`aws logs filter-log-events --filter-pattern '{ $.durationMs >= 0 }'` finds the line of each request",
    },
    {
      fact: 'In a log group of its own choice, the stream of a function is `YYYY/MM/DD/<function name>[<version>]…`, so that functions can share the group.',
      sure: 'docs (Lambda, configuring log groups)',
      where:
        'Three logs for all functions: `infra/functions/functions.ts`. The saved query “errors and alerts” takes the name from there.',
      byHand:
        '`aws logs describe-log-streams --log-group-name <Segue-BackgroundLog…>` has streams with `SweeperLambda` and with `JobsLambda`; the saved query “errors and alerts” shows `functionName`',
    },
    {
      fact: 'The value that a metric filter of CloudWatch Logs writes may be below zero. `SUM([a, b])` in metric math leaves out a metric without a value.',
      sure: 'assumed',
      where: 'Failures that the contract requires are subtracted: `infra/monitoring/metrics.ts`.',
      byHand: 'a project with a proofreader and no translator, and the alarm ServerErrors: it stays `OK`',
    },
    {
      fact: 'An alarm that treats missing data as missing has insufficient data until its metric has a value. It does not notify anyone of that first state. It does when it returns to that state later.',
      sure: 'docs',
      where: 'Scheduled functions that stop running: `infra/monitoring/alarms.ts`.',
      byHand:
        'a first deployment with `alarmEmail`: nothing of SchedulesStopped arrives but that it is `OK`; then the rule of `deliveries` disabled: `INSUFFICIENT_DATA` arrives within half an hour',
    },
    {
      fact: 'A product of metrics has no value in periods in which one of them has none.',
      sure: 'docs',
      where: 'One alarm notices each schedule that stops: `infra/monitoring/metrics.ts`.',
      byHand: 'the same: one disabled rule of several is enough',
    },
    {
      fact: 'Lambda counts the asynchronous calls that arrive for a function in `AsyncEventsReceived` with the dimension `FunctionName`, and writes no zero. Streams and queues make no such calls.',
      sure: 'docs for the metric; the rest is assumed',
      where: '`infra/monitoring/metrics.ts`',
      byHand:
        '`aws cloudwatch list-metrics --namespace AWS/Lambda --metric-name AsyncEventsReceived` has the names of the scheduled functions; with the permission of a rule removed by `aws lambda remove-permission`, SchedulesStopped gets insufficient data',
    },
    {
      fact: 'DynamoDB counts throttled writes by their cause: `WriteKeyRangeThroughputThrottleEvents`, `WriteAccountLimitThrottleEvents`, and for the limit of a table `WriteMaxOnDemandThroughputThrottleEvents`.',
      sure: 'docs',
      where: 'TableThrottles with `maxWriteRequestUnits`: `infra/monitoring/metrics.ts`.',
      byHand: 'a stack with `maxWriteRequestUnits=1000`, and 100 creates a second: the alarm TableThrottles stays `OK`',
    },
    {
      fact: 'API Gateway writes a value of `5XXError` for each request, also 0, so its average is the share of failed requests.',
      sure: 'docs',
      where: 'SlowRequests: `infra/monitoring/metrics.ts`.',
      byHand: 'the graph of the alarm SlowRequests, with the average of `5XXError`: 0 while all requests succeed',
    },
    {
      fact: 'Of two metrics of one failed request, that of API Gateway and that of its log line, both mostly have the same five minutes.',
      sure: 'assumed',
      where: 'ServerErrors subtracts the failures that functions have logged: `infra/monitoring/metrics.ts`.',
      byHand: 'a table that cannot be read, for an hour: PageAlerts starts, and ServerErrors stays `OK`',
    },
    {
      fact: 'An identity of SES may have a default configuration set. Then SES checks `ses:SendEmail` on it too, with the same sender.',
      sure: 'docs; that the condition holds for it is assumed',
      where: '`infra/stores/mail.ts`',
      byHand: 'a stack with `mailFrom` whose identity has a default configuration set: the e-mails arrive',
    },
    {
      fact: 'A request of DynamoDB that names no partition, such as a scan, has no `dynamodb:LeadingKeys`. `ForAllValues` holds for it, and `Null` with `false` does not.',
      sure: 'docs (IAM, multivalued context keys)',
      where: '`infra/stores/credentials.ts`',
      byHand:
        '`aws iam simulate-custom-policy` with the statement of a role, `dynamodb:GetItem` and no context entry: `implicitDeny`',
    },
    {
      fact: '`SERVICE_QUOTA(ConcurrentExecutions)` is the account’s quota of concurrent executions, also in an alarm. `ClaimedAccountConcurrency` has no dimension.',
      sure: 'docs (Lambda, monitoring concurrency)',
      where: 'ClaimedConcurrency: `infra/monitoring/metrics.ts`.',
      byHand: 'the alarm’s graph in CloudWatch: it has a value below 100, and the alarm is `OK`',
    },
    {
      fact: 'The policy of a topic replaces the default policy. An alarm may then notify the topic only if the policy allows `cloudwatch.amazonaws.com`.',
      sure: 'docs',
      where: '`infra/monitoring/topic.ts`',
      byHand: 'a deployment with `alarmEmail`, and `aws cloudwatch set-alarm-state`: an e-mail arrives',
    },
    {
      fact: 'A metric filter of JSON may join conditions in parentheses by `&&` and `||`. A line without a field does not fulfil a condition on that field, and a line that is no JSON fulfils none.',
      sure: 'docs',
      where: 'Answers that functions have logged: `REPORTED_ERRORS` in `infra/monitoring/alert-lines.ts`.',
      byHand:
        '`aws logs test-metric-filter` with that pattern: `{"status":500}` and `{"operation":"authorizer","alarm":"PageAlerts"}` match, `{"operation":"getProject","alarm":"PageAlerts"}` and `Task timed out` do not',
    },
    {
      fact: 'A metric filter publishes nothing while no line matches, and its metric then costs nothing.',
      sure: 'docs',
      where: 'Alerts are counted from logs: `docs/cost.md`.',
      byHand: 'a bill of a month without alerts: no custom metric of the namespace `Segue`',
    },
    {
      fact: 'A transaction needs the permissions of its parts, and none of its own.',
      sure: 'docs',
      where: '`infra/stores/tables.ts`',
      given: ANY_PROJECT,
      asks: [{ path: '/segments/projects/$ID', sees: { status: 200 }, onlyOnAws: true }],
    },
    {
      fact: 'Above `maxWriteRequestUnits`, DynamoDB refuses a write with `ThrottlingException`, and a transaction with the reason `ThrottlingError` or `ProvisionedThroughputExceeded`. The limit is approximate.',
      sure: 'docs for the limit, assumed for the reasons of a transaction',
      where: '`lib/storage/dynamodb/retries.ts`: 503 `unavailable`, and nothing was done.',
      byHand:
        'a stack with `maxWriteRequestUnits=1000`, and 100 creates a second: some are 503 `unavailable`, and no project exists that was answered so',
    },
    {
      fact: 'For a missing object, S3 answers 404 to callers that may list the bucket, and 403 to others.',
      sure: 'docs',
      where: '`infra/stores/buckets.ts`',
      byHand: "a read at the moment of a large project's deletion: 404 `project-not-found`, never 503",
    },
    {
      fact: 'In a bucket without versioning, the version of an object is `null`. To delete it by that version needs `s3:DeleteObjectVersion`.',
      sure: 'docs',
      where: 'The sweeper deletes all versions.',
      byHand:
        "the deletion of a large project, with the sweeper's log: a line without `cause`, and `aws s3api list-object-versions --bucket <BucketName>` has it no more",
    },
    {
      fact: 'An event source mapping needs `dynamodb:ListStreams`, which cannot be limited to a resource.',
      sure: 'docs',
      where: '`infra/functions/add-triggers.ts`',
      byHand: 'a deployment without it: it fails at the mapping',
    },
    {
      fact: 'Secrets Manager calls a rotation with `aws:SourceAccount`. With `RotateImmediatelyOnUpdate: false`, it does not count a deployment as a rotation.',
      sure: 'docs',
      where: '`infra/stores/secrets.ts`',
      byHand:
        '`aws secretsmanager describe-secret --secret-id <SigningSecretArn>` after a deployment: `RotationEnabled`, and no `LastRotatedDate`',
    },
    {
      fact: 'With `RotateImmediatelyOnUpdate: false`, a deployment calls only the rotation step `testSecret`, with a pending version that is empty or a copy. Then it removes that version.',
      sure: 'docs; what the version holds is assumed',
      where: '`lib/credentials/signing-key-rotation.ts` accepts both.',
      byHand:
        "a deployment, with the rotation's log: one line without `cause`, and `aws secretsmanager list-secret-version-ids` has no `AWSPENDING`",
    },
    {
      fact: 'A failed rotation starts again at its first step, with the same version.',
      sure: 'assumed',
      where: '`lib/credentials/signing-key-rotation.ts`: each step may run any number of times, and at any time.',
      byHand:
        'a rotation whose function may not be called after `createSecret`: `aws secretsmanager describe-secret` has its version pending, and a later `rotate-secret` goes on with it',
    },
    {
      fact: 'CloudFormation generates a new value of a secret only if `GenerateSecretString` itself has changed.',
      sure: 'docs',
      where: '`infra/stores/secrets.ts`',
      byHand:
        'two deployments, with a rotation between them: `aws secretsmanager list-secret-version-ids` has the same `AWSCURRENT` before and after the second',
    },
    {
      fact: 'Behind the base path of a domain, `$context.path` begins with that path, and `$context.stage` is still that of the API.',
      sure: 'docs',
      where: '`infra/api/gateway-answers.ts` has the base path as text. Functions take it from `requestContext.path`.',
      asks: [
        { path: '/nowhere', anonymous: true, sees: { status: 404, problem: 'route-not-found' } },
        { path: '/segments/projects/custom', sees: { status: 404, problem: 'project-not-found' } },
      ],
    },
    {
      fact: 'EventBridge uses the KMS key of an event bus in its own name, and names the account in `aws:SourceAccount`.',
      sure: 'docs',
      where: '`infra/stores/key-policy.ts`',
      byHand: 'with `encryptionKeyArn`: a rule on the event bus with a queue as target gets the event of a new project',
    },
    {
      fact: 'The `SecurityPolicy` of an API holds for its own host, and for a domain in front of it. `TLS_1_2` accepts TLS 1.2 and 1.3.',
      sure: 'docs',
      where: '`infra/api/tls.ts`. Without it, a regional API accepts TLS 1.0.',
      byHand:
        '`curl --tls-max 1.1 --ciphers DEFAULT@SECLEVEL=0 "$API/health"` ends with 35, `curl --tls-max 1.2 "$API/health"` and `curl --tlsv1.3 "$API/health"` are 200. With `tls=1.3`, the second ends with 35 too. `openssl s_client -connect <host>:443 -tls1_1 </dev/null` shows `alert protocol version`',
    },
    {
      fact: 'A request that WAF refuses is WAF_FILTERED, whose status, 403, and body can be changed.',
      sure: 'docs',
      where: 'With `firewall=managed`: `lib/contract/gateway-responses.ts`.',
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
    {
      fact: 'Lambda connects a function to a VPC with the function’s role. Calls by Lambda itself do not have the key `lambda:SourceFunctionArn`, and calls by the function’s code do.',
      sure: 'docs',
      where: 'With `vpcId`: `infra/functions/function-network.ts` denies the calls that have it.',
      byHand:
        'a deployment with `vpcId`: `aws lambda get-function-configuration` has `State` `Active` for `changeProjects`, and a request is answered',
    },
    {
      fact: 'WAF sees the path of a request with the stage or the base path of the domain in front, and percent-encoded as it was sent.',
      sure: 'assumed',
      where:
        '`infra/api/firewall-rules.ts`: the rate rule finds paths without credentials behind one more segment, or none.',
      byHand:
        'with `firewall=rate`: `seq 4000 | xargs -P 20 -I N curl -s -o /dev/null -w "%{http_code}\\n" "$API/health" | sort | uniq -c`, twice within five minutes: the second time some are 429 with `Retry-After`',
    },
    {
      fact: "WAF replaces the value of every header by `REDACTED` in its log, leaves the path and the query out, and its `requestId` is that of API Gateway's answer.",
      sure: 'docs; that the ids are the same is assumed',
      where: '`infra/api/firewall-log.ts`',
      byHand:
        'after the requests above, with `-u "$AUTH"` added to some: `aws logs tail <log group that begins with aws-waf-logs->` shows `clientIp` and `requestId`, and neither path nor credentials',
    },
    {
      fact: 'A private API answers at `<api>-<vpce>.execute-api…` with and without private DNS, and `$context.domainName` is the host name that the caller used.',
      sure: 'docs for the names, assumed for the variable',
      where: '`infra/api/endpoint.ts`; the URLs in problems and in `Location`: `infra/api/gateway-answers.ts`',
      byHand:
        'with `endpoint=private`, on a machine in the VPC: `curl -i "$API/nowhere"` is 404, and `type` begins with `$API`',
    },
    {
      fact: 'AWS WAF can stand in front of a private API, and counts the addresses of callers in the VPC. A private API can have `tls=1.3`.',
      sure: 'assumed',
      where: 'Neither is refused with `endpoint=private`: `infra/api/endpoint-options.ts`.',
      byHand:
        'a deployment with `endpoint=private` and `tls=1.3`: it succeeds, and `aws wafv2 get-web-acl-for-resource` has the web ACL',
    },
    {
      fact: 'A request that the policy of an API refuses is ACCESS_DENIED.',
      sure: 'docs',
      where: 'A caller through another VPC endpoint gets 401: `lib/contract/gateway-responses.ts`.',
      byHand:
        'with `endpoint=private`, a request through a VPC endpoint that is not in `vpcEndpointIds`: 401 `unauthenticated`',
    },
    {
      fact: 'With mutual TLS, a caller without a trusted client certificate gets a failed connection or 403 `{"message":"Forbidden"}`, which is no gateway response that could be changed.',
      sure: 'docs for the 403, assumed that it cannot be changed',
      where: '`docs/private-network.md`',
      byHand:
        'with `mtlsTruststore`: `curl -i "$API/health"` without `--cert`, and with the certificate of another authority; with one of the truststore, it is 200',
    },
  ],
};

import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import type { ServiceName } from '../../../infra/functions/catalogue.ts';
import { RETENTIONS } from '../../../lib/contract/retentions.ts';
import { SWEEP_MARKERS } from '../../../lib/storage/dynamodb/sweep-markers.ts';
import { stateKey } from '../../../lib/webhooks/delivery-records.ts';
import { propertiesOf } from '../template.ts';

const REF = (name: string) => expect.stringMatching(`^${name}[0-9A-F]{8}$`);

interface Stream {
  readonly table: string;
  readonly keys: object;
  readonly retries: number;
}
const COMMON_STREAMS: Readonly<Record<string, Stream>> = {
  PublishEvents: { table: 'StoresTable', keys: { sort: { S: [{ prefix: 'event/' }] } }, retries: 30 },
  Deliveries: {
    table: 'StoresDeliveries',
    keys: { sort: { S: [stateKey({ source: 'cms', id: 'one' }).sort] } },
    retries: 3,
  },
};
/** The streams that invoke a function, by its construct. */
const STREAMS: Record<ServiceName, Readonly<Record<string, Stream>>> = {
  hosted: {
    ...COMMON_STREAMS,
    Sweeper: { table: 'StoresTable', keys: { partition: { S: [SWEEP_MARKERS] } }, retries: 3 },
  },
  upstream: COMMON_STREAMS,
};

type Schedule = readonly [construct: string, expression: string, maxAgeSeconds: number];
const DELIVERIES: Schedule = ['Deliveries', 'rate(1 minute)', 60];
const SCHEDULES: Record<ServiceName, readonly Schedule[]> = {
  hosted: [['Sweeper', 'rate(5 minutes)', 300], DELIVERIES],
  upstream: [DELIVERIES, ['Reconciler', 'rate(1 minute)', 60], ['Audit', 'cron(30 2 * * ? *)', 3_600]],
};

/** Streams, schedules, their dead letters, and the rotation of signing keys. */
export function background(template: Template, service: ServiceName): void {
  const mappings = propertiesOf(template, 'AWS::Lambda::EventSourceMapping');
  const streams = Object.entries(STREAMS[service]);
  const schedules = SCHEDULES[service];

  it('rotates the signing keys every 30 days, but not because of a deployment', () => {
    expect(propertiesOf(template, 'AWS::SecretsManager::RotationSchedule').get('RotationSchedule')).toEqual({
      SecretId: { Ref: REF('StoresSigningSecret') },
      RotationLambdaARN: { 'Fn::GetAtt': [REF('RotateSigningKeysLambda'), 'Arn'] },
      RotationRules: { AutomaticallyAfterDays: 30 },
      RotateImmediatelyOnUpdate: false,
    });
    template.hasResourceProperties('AWS::Lambda::Permission', {
      Action: 'lambda:InvokeFunction',
      Principal: 'secretsmanager.amazonaws.com',
      SourceAccount: { Ref: 'AWS::AccountId' },
    });
  });

  it.each(streams)('invokes %s for inserted items, and keeps batches that fail', (id, { table, keys, retries }) => {
    const { FilterCriteria, ...mapping } = Object(mappings.get(`${id}StreamMapping`));
    expect(mapping).toEqual({
      FunctionName: { Ref: REF(`${id}Lambda`) },
      EventSourceArn: { 'Fn::GetAtt': [REF(table), 'StreamArn'] },
      StartingPosition: 'TRIM_HORIZON',
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumRetryAttempts: retries,
      MaximumRecordAgeInSeconds: 43_200,
      DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [REF(`${id}StreamDeadLetters`), 'Arn'] } } },
    });
    expect(FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern))).toEqual([
      { eventName: ['INSERT'], dynamodb: { Keys: keys } },
    ]);
    expect(mappings.size).toBe(streams.length);
  });

  it.each(schedules)('invokes %s by %s, and keeps invocations that fail', (id, expression, maxAgeSeconds) => {
    const letters = { 'Fn::GetAtt': [REF(`${id}ScheduleDeadLetters`), 'Arn'] };
    const retries = { MaximumEventAgeInSeconds: maxAgeSeconds, MaximumRetryAttempts: 2 };
    expect(propertiesOf(template, 'AWS::Events::Rule').get(`${id}Schedule`)).toMatchObject({
      ScheduleExpression: expression,
      State: 'ENABLED',
      Targets: [
        {
          Arn: { 'Fn::GetAtt': [REF(`${id}Lambda`), 'Arn'] },
          DeadLetterConfig: { Arn: letters },
          RetryPolicy: retries,
        },
      ],
    });
    expect([...propertiesOf(template, 'AWS::Lambda::EventInvokeConfig').values()]).toContainEqual({
      FunctionName: { Ref: REF(`${id}Lambda`) },
      Qualifier: '$LATEST',
      ...retries,
      DestinationConfig: { OnFailure: { Destination: letters } },
    });
    template.resourceCountIs('AWS::Events::Rule', schedules.length);
    template.resourceCountIs('AWS::Lambda::EventInvokeConfig', schedules.length);
  });

  it('keeps dead letters for two weeks, encrypted, and the events themselves for longer', () => {
    const { deadLetterQueue, event } = RETENTIONS;
    const queues = propertiesOf(template, 'AWS::SQS::Queue');
    const ofStreams = streams.map(([id]) => `${id}StreamDeadLetters`);
    const ofSchedules = schedules.map(([id]) => `${id}ScheduleDeadLetters`);
    expect([...queues.keys()].sort()).toEqual([...ofStreams, ...ofSchedules].sort());
    for (const queue of queues.values()) {
      expect(queue).toEqual({ MessageRetentionPeriod: deadLetterQueue.days * 86_400, SqsManagedSseEnabled: true });
    }
    expect(event.days).toBeGreaterThan(deadLetterQueue.days + 1);
  });
}

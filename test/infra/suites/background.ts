import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { type FunctionName, functionsOf } from '../../../infra/functions/catalogue.ts';
import type { ServiceName } from '../../../infra/functions/function-spec.ts';
import { HEARTBEATS } from '../../../lib/background/heartbeat.ts';
import { RETENTIONS } from '../../../lib/contract/retentions.ts';
import { SECOND_LOOKS, SWEEP_MARKERS } from '../../../lib/storage/dynamodb/sweep-markers.ts';
import { stateKey } from '../../../lib/webhooks/delivery-records.ts';
import { constructOf, propertiesOf } from '../template.ts';

const REF = (name: string) => expect.stringMatching(`^${name}[0-9A-F]{8}$`);

/** The queue for the dead letters of all streams. */
const LETTERS = { 'Fn::GetAtt': [REF('DeadLetters'), 'Arn'] };

/** The keys of the items whose insertion invokes a function, as the code writes them. */
const STREAM_KEYS: Readonly<Partial<Record<FunctionName, readonly object[]>>> = {
  sweeper: [{ partition: { S: [{ prefix: 'sweep/' }] } }],
  publishEvents: [
    { sort: { S: [{ prefix: 'outbox/' }] } },
    { sort: { S: [{ prefix: 'feed/' }] } },
    { partition: { S: [{ prefix: 'jobs/' }] } },
    { partition: { S: [HEARTBEATS] } },
  ],
  sendEvents: [{ partition: { S: [{ prefix: 'event-delivery/' }] } }],
  deliveries: [{ sort: { S: [stateKey({ source: 'cms', id: 'one' }).sort] } }],
};

/** Tests streams, schedules, their dead letters, and the rotation of signing keys. */
export function background(template: Template, service: ServiceName): void {
  const mappings = propertiesOf(template, 'AWS::Lambda::EventSourceMapping');
  const deployed = functionsOf(service).map((entry) => ({ ...entry, id: constructOf(entry.name) }));
  const streams = deployed.flatMap(({ stream, ...entry }) => (stream ? [{ ...entry, stream }] : []));
  const queues = deployed.flatMap(({ queue, ...entry }) => (queue ? [{ ...entry, queue }] : []));
  const schedules = deployed.flatMap(({ schedule, ...entry }) => (schedule ? [{ ...entry, schedule }] : []));

  it('invokes the sweeper for markers, and not for second looks', () => {
    expect(SWEEP_MARKERS.partitions.every((partition) => partition.startsWith('sweep/'))).toBe(true);
    expect(SECOND_LOOKS.partitions.some((partition) => partition.startsWith('sweep/'))).toBe(false);
  });

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

  it.each(streams)('invokes $name for inserted items, and keeps batches that fail', ({ id, name, stream }) => {
    const table = stream.table === 'table' ? 'StoresTable' : 'StoresDeliveries';
    const { FilterCriteria, ...mapping } = Object(mappings.get(`${id}StreamMapping`));
    expect(mapping).toEqual({
      FunctionName: { Ref: REF(`${id}Lambda`) },
      EventSourceArn: { 'Fn::GetAtt': [REF(table), 'StreamArn'] },
      StartingPosition: 'TRIM_HORIZON',
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumRetryAttempts: stream.retries,
      MaximumRecordAgeInSeconds: 43_200,
      DestinationConfig: { OnFailure: { Destination: LETTERS } },
    });
    expect(FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern))).toEqual(
      STREAM_KEYS[name]?.map((Keys) => ({ eventName: ['INSERT'], dynamodb: { Keys } })),
    );
    expect(mappings.size).toBe(streams.length + queues.length);
  });

  it.each(queues)('invokes $name for each message, one at a time of a group', ({ id, timeoutSeconds, queue }) => {
    expect(mappings.get(`${id}QueueMapping`)).toEqual({
      FunctionName: { Ref: REF(`${id}Lambda`) },
      EventSourceArn: { 'Fn::GetAtt': [REF('StoresJobs'), 'Arn'] },
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: queue.maxConcurrency },
    });
    expect(propertiesOf(template, 'AWS::SQS::Queue').get('StoresJobs')).toEqual({
      FifoQueue: true,
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
      VisibilityTimeout: 6 * timeoutSeconds,
      RedrivePolicy: {
        deadLetterTargetArn: { 'Fn::GetAtt': [REF('StoresJobDeadLetters'), 'Arn'] },
        maxReceiveCount: queue.maxDeliveries,
      },
      SqsManagedSseEnabled: true,
    });
  });

  it.each(schedules)('invokes $name by $schedule.expression, and keeps no run that fails', ({ id, schedule }) => {
    // Lambda waits a minute before it repeats a run. By then the next run has started, except for the one of a day, which
    // Lambda repeats twice by default.
    const isDaily = schedule.expression.startsWith('cron');
    const retries = { MaximumEventAgeInSeconds: (schedule.maxAgeMinutes ?? 0) * 60, MaximumRetryAttempts: 0 };
    expect(propertiesOf(template, 'AWS::Events::Rule').get(`${id}Schedule`)).toMatchObject({
      ScheduleExpression: schedule.expression,
      State: 'ENABLED',
      Targets: [
        {
          Id: 'Target0',
          Arn: { 'Fn::GetAtt': [REF(`${id}Lambda`), 'Arn'] },
          ...(!isDaily && { RetryPolicy: retries }),
        },
      ],
    });
    expect(propertiesOf(template, 'AWS::Events::Rule').get(`${id}Schedule`)).not.toHaveProperty(
      'Targets.0.DeadLetterConfig',
    );
    const configs = propertiesOf(template, 'AWS::Lambda::EventInvokeConfig');
    expect(configs.get(`${id}LambdaEventInvokeConfig`)).toEqual(
      isDaily ? undefined : { FunctionName: { Ref: REF(`${id}Lambda`) }, Qualifier: '$LATEST', ...retries },
    );
    template.resourceCountIs('AWS::Events::Rule', schedules.length);
    expect(configs.size).toBe(schedules.filter(({ schedule: { maxAgeMinutes } }) => maxAgeMinutes).length);
  });

  it('keeps dead letters for two weeks, encrypted, and the events themselves for longer', () => {
    const { deadLetterQueue, event } = RETENTIONS;
    const all = propertiesOf(template, 'AWS::SQS::Queue');
    const ofQueues = queues.map(() => 'StoresJobDeadLetters');
    const letters = [...all].filter(([name]) => name !== 'StoresJobs');
    expect(letters.map(([name]) => name).sort()).toEqual(['DeadLetters', ...ofQueues]);
    for (const [name, queue] of letters) {
      expect(queue).toEqual({
        MessageRetentionPeriod: deadLetterQueue.days * 86_400,
        SqsManagedSseEnabled: true,
        ...(ofQueues.includes(name) && { FifoQueue: true }),
      });
    }
    expect(event.days).toBeGreaterThan(deadLetterQueue.days + 1);
  });
}

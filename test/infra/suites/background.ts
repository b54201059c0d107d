import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import type { ServiceName } from '../../../infra/functions/catalogue.ts';
import { RETENTIONS } from '../../../lib/contract/retentions.ts';
import { SWEEP_MARKERS } from '../../../lib/storage/dynamodb/sweep-markers.ts';
import type { Storage, Write } from '../../../lib/storage/port.ts';
import { stateKey } from '../../../lib/webhooks/delivery-records.ts';
import { hosted } from '../../lib/hosted/fixture.ts';
import { openSqlite } from '../../lib/storage/folder.ts';
import { callOf, checked, heldNow } from '../../lib/support.ts';
import { propertiesOf } from '../template.ts';

const REF = (name: string) => expect.stringMatching(`^${name}[0-9A-F]{8}$`);

/** What every service has. */
const COMMON_STREAMS = {
  PublishEventsStreamMapping: {
    lambda: 'PublishEventsLambda',
    letters: 'PublishEventsStreamDeadLetters',
    keys: { sort: { S: [{ prefix: 'event/' }] } },
    retries: 30,
    table: 'StoresTable',
  },
  DeliveriesStreamMapping: {
    lambda: 'DeliveriesLambda',
    letters: 'DeliveriesStreamDeadLetters',
    keys: { sort: { S: [stateKey({ source: 'cms', id: 'one' }).sort] } },
    retries: 3,
    table: 'StoresDeliveries',
  },
};

/** What hears of which items, by its mapping. */
const STREAMS = {
  hosted: {
    ...COMMON_STREAMS,
    SweeperStreamMapping: {
      lambda: 'SweeperLambda',
      letters: 'SweeperStreamDeadLetters',
      keys: { partition: { S: [SWEEP_MARKERS] } },
      retries: 3,
      table: 'StoresTable',
    },
  },
  upstream: COMMON_STREAMS,
};

/** What is called when, by its rule. */
const COMMON_SCHEDULES = {
  DeliveriesSchedule: { lambda: 'DeliveriesLambda', when: 'rate(1 minute)', withinSeconds: 60 },
};
const SCHEDULES = {
  hosted: {
    SweeperSchedule: { lambda: 'SweeperLambda', when: 'rate(5 minutes)', withinSeconds: 300 },
    ...COMMON_SCHEDULES,
  },
  upstream: {
    ...COMMON_SCHEDULES,
    ReconcilerSchedule: { lambda: 'ReconcilerLambda', when: 'rate(1 minute)', withinSeconds: 60 },
    AuditSchedule: { lambda: 'AuditLambda', when: 'cron(30 2 * * ? *)', withinSeconds: 3_600 },
  },
};

/** Streams, schedules and the rotation of keys. */
export function background(template: Template, service: ServiceName): void {
  const mappings = propertiesOf(template, 'AWS::Lambda::EventSourceMapping');

  it('rotates the signing keys every 30 days, and not because of a deployment', () => {
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

  it.each(Object.entries(STREAMS[service]))(
    '%s hears of inserted items, and keeps what it could not do',
    (id, stream) => {
      const { FilterCriteria, ...mapping } = Object(mappings.get(id));
      expect(mapping).toEqual({
        FunctionName: { Ref: REF(stream.lambda) },
        EventSourceArn: { 'Fn::GetAtt': [REF(stream.table), 'StreamArn'] },
        StartingPosition: 'TRIM_HORIZON',
        BisectBatchOnFunctionError: true,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        MaximumRetryAttempts: stream.retries,
        MaximumRecordAgeInSeconds: 43_200,
        DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [REF(stream.letters), 'Arn'] } } },
      });
      expect(FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern))).toEqual([
        { eventName: ['INSERT'], dynamodb: { Keys: stream.keys } },
      ]);
      expect(mappings.size).toBe(Object.keys(STREAMS[service]).length);
    },
  );

  it('filters events as the service writes them', async () => {
    const writes: Write[] = [];
    const sqlite = openSqlite(heldNow);
    const storage: Storage = {
      read: (key) => sqlite.read(key),
      readWithPayload: (key) => sqlite.readWithPayload(key),
      list: (partition, range) => sqlite.list(partition, range),
      async commit(batch) {
        writes.push(...batch.writes);
        return sqlite.commit(batch);
      },
    };
    await hosted({ storage, newEventId: () => 'an-id' }).create(checked(), callOf());
    const sorts = writes.flatMap((write) => (write.kind === 'insert' ? [write.key.sort] : []));
    expect(sorts.filter((sort) => sort.startsWith('event/'))).toEqual(['event/an-id']);
  });

  const schedules = Object.entries(SCHEDULES[service]);

  it.each(schedules)(
    '%s calls its function, and keeps what could not be begun',
    (id, { lambda, when, withinSeconds }) => {
      expect(propertiesOf(template, 'AWS::Events::Rule').get(id)).toMatchObject({
        ScheduleExpression: when,
        State: 'ENABLED',
        Targets: [
          {
            Arn: { 'Fn::GetAtt': [REF(lambda), 'Arn'] },
            DeadLetterConfig: { Arn: { 'Fn::GetAtt': [REF(`${id}DeadLetters`), 'Arn'] } },
            RetryPolicy: { MaximumEventAgeInSeconds: withinSeconds, MaximumRetryAttempts: 2 },
          },
        ],
      });
      template.resourceCountIs('AWS::Events::Rule', schedules.length);
    },
  );

  it('keeps what the schedule has begun and the function has not ended', () => {
    expect([...propertiesOf(template, 'AWS::Lambda::EventInvokeConfig').values()]).toEqual([
      ...schedules.map(([id, { lambda, withinSeconds }]) => ({
        FunctionName: { Ref: REF(lambda) },
        Qualifier: '$LATEST',
        MaximumEventAgeInSeconds: withinSeconds,
        MaximumRetryAttempts: 2,
        DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [REF(`${id}DeadLetters`), 'Arn'] } } },
      })),
    ]);
  });

  it('keeps dead letters for two weeks, encrypted', () => {
    const queues = [...propertiesOf(template, 'AWS::SQS::Queue')];
    const ofStreams = Object.values(STREAMS[service]).map(({ letters }) => letters);
    const ofSchedules = schedules.map(([id]) => `${id}DeadLetters`);
    expect(queues.map(([id]) => id).sort()).toEqual([...ofStreams, ...ofSchedules].sort());
    for (const [, queue] of queues) {
      expect(queue).toEqual({ MessageRetentionPeriod: 1_209_600, SqsManagedSseEnabled: true });
    }
  });

  it('keeps them as long as the table of retentions says, and events for longer', () => {
    const { deadLetterQueue, event } = RETENTIONS;
    for (const queue of propertiesOf(template, 'AWS::SQS::Queue').values()) {
      const seconds: number = Object(queue).MessageRetentionPeriod;
      expect(seconds).toBe(deadLetterQueue.days * 86_400);
      expect(event.days * 86_400).toBeGreaterThan(seconds + 86_400);
    }
  });
}

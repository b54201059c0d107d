import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { ROOT } from '../../../infra/bundle.ts';
import type { ServiceName } from '../../../infra/functions/catalogue.ts';
import { failureFields, type LogLine, logToStandardError } from '../../../lib/service/log.ts';
import { HELD_BACK } from '../../../lib/upstream/circuit-breaker.ts';
import { AuthRejected, upstreamFailures } from '../../../lib/upstream/failures.ts';
import { constructOf, propertiesOf } from '../template.ts';

const COMMON = [
  'ServerErrors',
  'ChangeProjectsErrors',
  'ChangeProjectsThrottles',
  'ReadProjectsErrors',
  'ReadProjectsThrottles',
  'AuthorizerErrors',
  'AuthorizerThrottles',
  'TokensErrors',
  'TokensThrottles',
  'RefreshTokenReused',
  'ReceiveWebhookErrors',
  'ReceiveWebhookThrottles',
  'WebhooksUnusable',
  'InvalidSignatures',
  'PagesErrors',
  'PagesThrottles',
  'TasksErrors',
  'TasksThrottles',
  'BackgroundErrors',
  'BackgroundThrottles',
  'TableThrottles',
  'TableErrors',
  'EventsLag',
  'EventLetters',
  'DeadDeliveries',
  'DeliveriesBacklog',
  'DeliveriesLag',
  'DeliveryLetters',
  'DeliveryScheduleLetters',
];
const ALARMS: Record<ServiceName, readonly string[]> = {
  hosted: [...COMMON, 'StoreUnusable', 'SweeperBacklog', 'SweeperLag', 'SweeperLetters', 'ScheduleLetters'],
  upstream: [
    ...COMMON,
    'UpstreamUnusable',
    'UpstreamLockedOut',
    'UpstreamHeldBack',
    'OperationsOpen',
    'OperationsGivenUp',
    'ReconcilerLetters',
    'Strays',
    'AuditLetters',
  ],
};

const Filter = z.object({
  FilterPattern: z.string(),
  MetricTransformations: z.array(z.object({ MetricName: z.string(), MetricValue: z.string() })),
});

/** The parts of an alarm that say of what it is. */
const Alarm = z.object({
  AlarmDescription: z.string(),
  Threshold: z.number(),
  TreatMissingData: z.string(),
  AlarmActions: z.optional(z.array(z.unknown())),
});

/** That each alarm there should be is there, says what is lost, and has its entry for whoever it wakes. */
export function alarms(template: Template, service: ServiceName): void {
  const found = new Map(
    [...propertiesOf(template, 'AWS::CloudWatch::Alarm')].map(([id, alarm]) => [
      id.replace(/^Alarms/, ''),
      Alarm.parse(alarm),
    ]),
  );
  const filters = [...propertiesOf(template, 'AWS::Logs::MetricFilter')].map(
    ([id, filter]) => [id, Filter.parse(filter)] as const,
  );
  const page = readFileSync(resolve(ROOT, 'docs/operations.md'), 'utf8');
  const entries = new Map(
    page
      .split(/^### /m)
      .slice(1)
      .map((entry) => [entry.slice(0, entry.indexOf('\n')), entry.replaceAll(/\s+/g, ' ')]),
  );

  it('has these alarms and no other', () => {
    expect([...found.keys()].sort()).toEqual([...ALARMS[service]].sort());
  });

  it.each([...found])('%s says what is lost and where to look, and has an entry that says it too', (id, alarm) => {
    expect(alarm.AlarmDescription).toMatch(/^[A-Z].*\. Look first at .*\.$/);
    const [impact = ''] = alarm.AlarmDescription.split(' Look first at ');
    expect(entries.get(id)).toContain(impact);
  });

  it('does not take the silence before the first run for an alarm, and tells of a later one', () => {
    const bySilence = [...found].filter(([, alarm]) => alarm.TreatMissingData !== 'notBreaching');
    for (const [, alarm] of bySilence) expect(alarm.TreatMissingData).toBe('missing');
    const ofService = service === 'hosted' ? 'SweeperBacklog' : 'OperationsOpen';
    expect(bySilence.map(([id]) => id).sort()).toEqual(['DeliveriesBacklog', ofService]);
  });

  it('reads only fields that a log line has', () => {
    const fields = filters.flatMap(([, { FilterPattern, MetricTransformations }]) => [
      ...FilterPattern.matchAll(/\$\.(\w+)/g),
      ...MetricTransformations.flatMap(({ MetricValue }) => [...MetricValue.matchAll(/\$\.(\w+)/g)]),
    ]);
    const line: LogLine = {
      ...failureFields(upstreamFailures.unavailable('No.', 5, new AuthRejected(401))),
      ...{
        operation: 'any',
        requestId: '1',
        durationMs: 1,
        oldestMs: 5,
        givenUp: 4,
        unowned: 1,
        missing: 2,
        letters: 3,
      },
    };
    const ofService = service === 'hosted' ? [] : ['cause', 'givenUp', 'unowned', 'missing'];
    expect(new Set(fields.map(([, name]) => name))).toEqual(
      new Set(['level', 'problem', 'operation', 'oldestMs', 'letters', ...ofService]),
    );
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    logToStandardError(line);
    const [[written] = []] = write.mock.calls;
    write.mockRestore();
    expect(JSON.parse(String(written))).toMatchObject({
      level: 'error',
      problem: 'upstream-unavailable',
      cause: { name: 'LockedOut', code: 'HTTP_401' },
      oldestMs: 5,
      givenUp: 4,
      unowned: 1,
      missing: 2,
      letters: 3,
    });
  });

  it('counts a function that died, however it died', () => {
    const deaths = filters.filter(([, { FilterPattern }]) => FilterPattern.startsWith('?'));
    expect(deaths.length).toBeGreaterThan(0);
    for (const [, { FilterPattern }] of deaths) {
      expect(FilterPattern).toBe('?"Task timed out" ?"Runtime exited" ?"Uncaught Exception"');
    }
  });

  it('counts old signing keys in place of ones that cannot be read, whichever function has them', () => {
    for (const name of ['authorizer', 'tokens']) {
      const alarm = propertiesOf(template, 'AWS::CloudWatch::Alarm').get(`Alarms${constructOf(name)}Errors`);
      expect(JSON.stringify(alarm)).toContain(`${name}Failed`);
      expect(filters.map(([id]) => id)).toContain(`Metrics${name}FailedFilter00`);
    }
  });

  it('counts what the breaker holds back, by the code that it gives', () => {
    const patterns = filters.map(([, { FilterPattern }]) => FilterPattern);
    const isCounted = patterns.includes(`{ $.cause.code = "${HELD_BACK}" }`);
    expect(isCounted).toBe(service === 'upstream');
  });

  it('counts nobody’s wrong credentials and faulty projects as failures of ours', () => {
    const errors = JSON.stringify(propertiesOf(template, 'AWS::CloudWatch::Alarm').get('AlarmsAuthorizerErrors'));
    expect(errors).toContain('authorizerFailed');
    expect(errors).not.toMatch(/AuthorizerLambda/);
    const byContract = filters.filter(([, filter]) => /team-without-translator/.test(filter.FilterPattern));
    expect(byContract.map(([, { MetricTransformations }]) => MetricTransformations[0]?.MetricValue)).toEqual(['-1']);
  });

  it('has one dashboard', () => {
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
  });
}

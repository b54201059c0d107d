import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { functionsOf } from '../../../infra/functions/catalogue.ts';
import type { ServiceName } from '../../../infra/functions/function-spec.ts';
import { ALARM_POINTS, ALERT_CODES, ALERTS } from '../../../lib/contract/alerts.ts';
import { read } from '../../docs/world.ts';
import { constructOf, propertiesOf } from '../template.ts';

/** Alarms that not every stack has. */
const OPTIONAL: Readonly<Record<string, readonly ServiceName[]>> = { AuditStopped: ['upstream'], Throttles: [] };

const Dimension = z.object({ Name: z.string(), Value: z.unknown() });
const Metric = z.object({ Namespace: z.string(), MetricName: z.string(), Dimensions: z.optional(z.array(Dimension)) });
const MetricStat = z.object({ Metric, Period: z.int(), Stat: z.string() });
const Alarm = z.object({
  AlarmName: z.string(),
  AlarmDescription: z.string(),
  TreatMissingData: z.string(),
  Threshold: z.number(),
  EvaluationPeriods: z.int(),
  Period: z.optional(z.int()),
  Metrics: z.optional(z.array(z.object({ MetricStat: z.optional(MetricStat), Expression: z.optional(z.string()) }))),
  AlarmActions: z.array(z.unknown()),
  OKActions: z.optional(z.array(z.unknown())),
  InsufficientDataActions: z.optional(z.array(z.unknown())),
});
type Alarm = z.infer<typeof Alarm>;

const PAGE = read('docs/alarms.md');
/** The entries of docs/alarms.md on alarms and alerts, by their headings. */
const ENTRIES: ReadonlyMap<string, string> = new Map(
  PAGE.split(/^## /m)
    .slice(1)
    .map((entry) => [entry.slice(0, entry.indexOf('\n')), entry.replaceAll(/\s+/g, ' ')]),
);
/** The rows of the table of alarms in docs/alarms.md. */
const ROWS: ReadonlyMap<string, readonly string[]> = new Map(
  Array.from(
    PAGE.matchAll(/^\| \[(\w+)\]\(#(\w+)\) \| (page|ticket) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm),
    ([, name = '', ...cells]) => [name, cells],
  ),
);

/** Returns the alarms of a template by their names without tier and gateway. The alarm of rollouts notifies nobody. */
export function alarmsOf(template: Template): ReadonlyMap<string, Alarm> {
  const found = [...propertiesOf(template, 'AWS::CloudWatch::Alarm')];
  const notifying = found.filter(([id]) => id !== 'RollbackAlarm');
  return new Map(notifying.map(([id, alarm]) => [id.replace(/^Alarms/, ''), Alarm.parse(alarm)]));
}

/** Returns the cells of an alarm in the table: its threshold, and the periods that must reach it. */
function limitsOf({ Threshold, EvaluationPeriods, Period, Metrics = [], TreatMissingData }: Alarm): readonly string[] {
  const seconds = Period ?? Metrics.flatMap(({ MetricStat }) => MetricStat?.Period ?? [])[0] ?? 0;
  const period = seconds === 86_400 ? '1 day' : `${seconds / 60} minutes`;
  const threshold = TreatMissingData === 'missing' ? 'no data' : Threshold.toLocaleString('en');
  return [threshold, EvaluationPeriods === 1 ? period : `${EvaluationPeriods} × ${period}`];
}

/** Tests the alarms and their entries in docs/alarms.md. */
export function alarms(template: Template, service: ServiceName): void {
  const found = alarmsOf(template);
  const deployed = functionsOf(service);
  const isHere = (id: string) => OPTIONAL[id]?.includes(service) ?? true;
  /** Returns the values of a dimension in the metrics of an alarm. */
  const dimensionsOf = (id: string, name: string) =>
    (found.get(id)?.Metrics ?? []).flatMap(({ MetricStat }) =>
      (MetricStat?.Metric.Dimensions ?? [])
        .filter(({ Name }) => Name === name)
        .map(({ Value }) => JSON.stringify(Value)),
    );

  it('has the alarms in docs/alarms.md and no other, about ten', () => {
    expect([...found.keys()].sort()).toEqual([...ROWS.keys()].filter(isHere).sort());
    expect(found.size).toBeLessThanOrEqual(10);
  });

  it.each([...found])('%s has a tier, an impact and where to look, as its entry does', (id, alarm) => {
    const [, tier] = /^(page|ticket)-Segue-(\w+)$/.exec(alarm.AlarmName) ?? [];
    expect(alarm.AlarmName).toBe(`${tier}-Segue-${id}`);
    expect(alarm.AlarmDescription).toMatch(/^[A-Z].*\. Look first at .*\.$/);
    const [impact = ''] = alarm.AlarmDescription.split(' Look first at ');
    expect(ENTRIES.get(id)).toContain(impact);
    expect(ROWS.get(id)?.slice(0, 2)).toEqual([id.toLowerCase(), tier]);
    expect(ROWS.get(id)?.slice(2, 4)).toEqual(limitsOf(alarm));
  });

  it.each([...found])(
    '%s notifies of its start, a page of its end, and a schedule of its missing runs',
    (id, alarm) => {
      const topic = [{ Ref: expect.stringMatching(/^AlarmTopic/) }];
      const { AlarmActions, OKActions, InsufficientDataActions, AlarmName, TreatMissingData } = alarm;
      expect(AlarmActions).toEqual(topic);
      expect(OKActions).toEqual(AlarmName.startsWith('page-') ? topic : undefined);
      const isOfSchedule = ['SchedulesStopped', 'AuditStopped'].includes(id);
      expect(InsufficientDataActions).toEqual(isOfSchedule ? topic : undefined);
      expect(TreatMissingData).toBe(isOfSchedule ? 'missing' : 'notBreaching');
    },
  );

  it('notices that a schedule does not reach its function, and that publishEvents does not run', () => {
    const counted = ['SchedulesStopped', 'AuditStopped'].flatMap((id) =>
      (found.get(id)?.Metrics ?? []).flatMap(({ MetricStat }) => {
        const [dimension] = MetricStat?.Metric.Dimensions ?? [];
        const name = JSON.stringify(dimension?.Value)?.replace(/^\{"Ref":"(\w+)[0-9A-F]{8}"\}$/, '$1');
        return MetricStat ? [`${MetricStat.Metric.MetricName} of ${name}`] : [];
      }),
    );
    const scheduled = deployed.filter(({ schedule }) => schedule);
    const calls = scheduled.map(({ name }) => `AsyncEventsReceived of ${constructOf(name)}Lambda`);
    // What it does for the heartbeats counts, so it has no schedule.
    expect(counted.sort()).toEqual([...calls, 'Invocations of PublishEventsLambda'].sort());
    // If one schedule has no calls, the product has no value.
    const expressions = found.get('SchedulesStopped')?.Metrics?.flatMap(({ Expression }) => Expression ?? []);
    expect(expressions).toEqual([expect.stringMatching(/^\w+( \* \w+)+$/)]);
  });

  it('starts no alarm for few slow requests, nor for requests that fail slowly, which are paged already', () => {
    expect(found.get('SlowRequests')?.Metrics).toMatchObject([
      { Expression: 'IF(requests >= 20 AND failing < 0.05, latency, 0)' },
      { MetricStat: { Metric: { MetricName: 'Count' }, Stat: 'Sum' } },
      { MetricStat: { Metric: { MetricName: '5XXError' }, Stat: 'Average' } },
      { MetricStat: { Metric: { MetricName: 'Latency' }, Stat: 'p95' } },
    ]);
  });

  it('pages for what users notice, and makes tickets of the likely causes', () => {
    const pages = [...found].flatMap(([id, { AlarmName }]) => (AlarmName.startsWith('page-') ? [id] : []));
    expect(pages.sort()).toEqual(['PageAlerts', 'SchedulesStopped', 'ServerErrors', 'SlowRequests']);
  });

  it('watches every dead-letter queue, and every table for throttles', () => {
    const queues = [...propertiesOf(template, 'AWS::SQS::Queue').keys()].filter((id) => id !== 'StoresJobs');
    const tables = [...propertiesOf(template, 'AWS::DynamoDB::Table').keys()];
    const letters = dimensionsOf('DeadLetters', 'QueueName').join(' ');
    const throttled = dimensionsOf('TableThrottles', 'TableName').join(' ');
    expect(queues.filter((id) => !letters.includes(`"${id}`))).toEqual([]);
    expect(tables.filter((id) => throttled.split(`"${id}`).length !== 3)).toEqual([]);
  });

  it('compares the concurrency of the account with its quota, for longer than a burst in a new account takes', () => {
    expect(found.get('ClaimedConcurrency')?.EvaluationPeriods).toBe(3);
    expect(found.get('ClaimedConcurrency')?.Metrics).toMatchObject([
      { Expression: '100 * claimed / SERVICE_QUOTA(running)' },
      { MetricStat: { Metric: { Namespace: 'AWS/Lambda', MetricName: 'ClaimedAccountConcurrency' }, Stat: 'Maximum' } },
      { MetricStat: { Metric: { Namespace: 'AWS/Lambda', MetricName: 'ConcurrentExecutions' } } },
    ]);
  });

  describe('docs/alarms.md', () => {
    it('has an entry for each alarm, and no other heading of that form', () => {
      expect([...ENTRIES.keys()].filter((name) => /^[A-Z]\w+$/.test(name)).sort()).toEqual([...ROWS.keys()].sort());
    });

    it.each(ALERT_CODES)('has an entry for the alert %s, with its alarm', (code) => {
      const { alarm, points } = ALERTS[code];
      const lines = Math.ceil(ALARM_POINTS / points);
      expect(ENTRIES.has(code)).toBe(true);
      expect(PAGE).toContain(`| [\`${code}\`](#${code}) | ${alarm} | ${lines} |`);
    });
  });
}

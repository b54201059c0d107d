import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { ROOT } from '../../../infra/bundle.ts';
import { SERVICES, type ServiceName } from '../../../infra/functions/catalogue.ts';
import { constructOf, propertiesOf } from '../template.ts';

/** Alarms of one service only. The others belong to both services. */
const OWN: Record<ServiceName, readonly string[]> = {
  hosted: [
    'StoreUnusable',
    'SweeperBacklog',
    'SweeperLag',
    'SweeperLetters',
    'ScheduleLetters',
    'FailedEvents',
    'SendBacklog',
    'SendLag',
    'SendLetters',
    'SendScheduleLetters',
    'JobsBacklog',
    'JobLetters',
    'JobScheduleLetters',
  ],
  upstream: [
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
/** The alarm of gateways with `bulkCompanies`: see `options.test.ts`. */
const OPTIONAL = 'BulkFailed';

const Metric = z.object({ Period: z.optional(z.int()) });
const Alarm = z.object({
  AlarmDescription: z.string(),
  TreatMissingData: z.string(),
  Threshold: z.number(),
  EvaluationPeriods: z.int(),
  Period: z.optional(z.int()),
  Metrics: z.optional(z.array(z.object({ MetricStat: z.optional(Metric) }))),
});
type Alarm = z.infer<typeof Alarm>;
const Filter = z.object({
  FilterPattern: z.string(),
  MetricTransformations: z.tuple([z.object({ MetricValue: z.string() })]),
});

/** Returns the entries of docs/alarms.md on alarms, by their headings. */
function entriesOf(): ReadonlyMap<string, string> {
  const page = readFileSync(resolve(ROOT, 'docs/alarms.md'), 'utf8');
  const [, ...entries] = page.split(/^## /m);
  return new Map(entries.map((entry) => [entry.slice(0, entry.indexOf('\n')), entry.replaceAll(/\s+/g, ' ')]));
}

/** Returns the rows of the table of alarms in docs/alarms.md, without the last column, which says how urgent they are. */
function rowsOf(): ReadonlyMap<string, readonly string[]> {
  const page = readFileSync(resolve(ROOT, 'docs/alarms.md'), 'utf8');
  const rows = page.matchAll(/^\| \[(\w+)\]\(#(\w+)\) \| (\w+) \| ([^|]+) \| ([^|]+) \| (?:now|today|this week) \|$/gm);
  return new Map(Array.from(rows, ([, name = '', anchor = '', ...cells]) => [name, [anchor, ...cells]]));
}

/** Returns the cells of an alarm in the table: its threshold, and the periods that must reach it. */
function limitsOf({ Threshold, EvaluationPeriods, Period, Metrics = [] }: Alarm): readonly string[] {
  const [seconds = 0] = [Period, ...Metrics.map(({ MetricStat }) => MetricStat?.Period)].filter((each) => each);
  const period = seconds === 86_400 ? '1 day' : `${seconds / 60} minutes`;
  const threshold = Threshold < 60_000 ? String(Threshold) : `${Threshold / 60_000} minutes old`;
  return [threshold, EvaluationPeriods === 1 ? period : `${EvaluationPeriods} × ${period}`];
}

/** Tests the alarms and their entries in docs/alarms.md. */
export function alarms(template: Template, service: ServiceName): void {
  const resources = propertiesOf(template, 'AWS::CloudWatch::Alarm');
  // The alarm of rollouts notifies nobody: see `rollouts.ts`.
  const found = [...resources].flatMap(([id, alarm]) =>
    id.startsWith('Alarms') ? [[id.slice('Alarms'.length), Alarm.parse(alarm)] as const] : [],
  );
  const entries = entriesOf();

  it('has the alarms in docs/alarms.md and no other', () => {
    const others = SERVICES.filter((name) => name !== service).flatMap((name) => OWN[name]);
    const expected = [...entries.keys()].filter((id) => id !== OPTIONAL && !others.includes(id));
    expect(found.map(([id]) => id).sort()).toEqual(expected.sort());
    expect(expected).toEqual(expect.arrayContaining([...OWN[service]]));
  });

  it.each(found)('%s describes the impact and where to look, as its entry does', (id, { AlarmDescription }) => {
    expect(AlarmDescription).toMatch(/^[A-Z].*\. Look first at .*\.$/);
    const [impact = ''] = AlarmDescription.split(' Look first at ');
    expect(entries.get(id)).toContain(impact);
  });

  it.each(found)('%s is in the table of docs/alarms.md with its limits', (id, alarm) => {
    const of = OWN[service].includes(id) ? service : 'both';
    expect(rowsOf().get(id)).toEqual([id.toLowerCase(), of, ...limitsOf(alarm)]);
  });

  it('treats missing data as a fault only for functions on a schedule', () => {
    const missing = found.filter(([, { TreatMissingData }]) => TreatMissingData !== 'notBreaching');
    expect(new Set(missing.map(([, { TreatMissingData }]) => TreatMissingData))).toEqual(new Set(['missing']));
    const ofService = service === 'hosted' ? ['JobsBacklog', 'SendBacklog', 'SweeperBacklog'] : ['OperationsOpen'];
    expect(missing.map(([id]) => id).sort()).toEqual(['DeliveriesBacklog', ...ofService]);
  });

  it.each(['authorizer', 'tokens'])('counts the failures of %s by its log, not by its errors', (name) => {
    const alarm = JSON.stringify(resources.get(`Alarms${constructOf(name)}Errors`));
    expect(alarm).toContain(`${name}Failed`);
    expect(alarm).not.toContain(`${constructOf(name)}Lambda`);
  });

  it('subtracts the answers that the contract demands, of every function that gives them', () => {
    const filters = [...propertiesOf(template, 'AWS::Logs::MetricFilter').values()].map((value) => Filter.parse(value));
    const byContract = filters.filter(({ FilterPattern }) => /team-without-translator/.test(FilterPattern));
    expect(byContract.map(({ MetricTransformations }) => MetricTransformations[0].MetricValue)).toEqual(['-1', '-1']);
  });
}

import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { BEHIND_API } from '../../../infra/functions/capacity.ts';
import { functionsOf } from '../../../infra/functions/catalogue.ts';
import { FUNCTION_LOGS, type ServiceName } from '../../../infra/functions/function-spec.ts';
import { ALARM_POINTS, ALERTS } from '../../../lib/contract/alerts.ts';
import { logFailedTranslation } from '../../../lib/hosted/work/job-worker.ts';
import { NoAnswer } from '../../../lib/service/http-client/exchange.ts';
import { alertOf, failureFields, logStaleSecret, logTableFailure } from '../../../lib/service/log.ts';
import { EngineFailure } from '../../../lib/service/translation-engine.ts';
import { problemFrom } from '../../../lib/upstream/failures.ts';
import { READ } from '../../../lib/upstream/requests.ts';
import { noResponse } from '../../../lib/upstream/upstream-answer.ts';
import { FIXED } from '../../../tools/docs/idle-costs.ts';
import { usd } from '../../../tools/docs/prices.ts';
import { loggedLines } from '../../support/logged-lines.ts';
import { propertiesOf } from '../template.ts';
import { alarmsOf } from './alarms.ts';
import { ENDED, executionLine, LOCKED_OUT, loggedFaults, planted } from './faults.ts';
import { BACKGROUND, FAILING } from './function-runs.ts';
import { amountOf, filtersOf, logOf } from './metric-filters.ts';

/** An alarm of one metric from logs. */
const LogAlarm = z.object({
  MetricName: z.string(),
  Threshold: z.number(),
  Statistic: z.literal('Sum'),
  Period: z.literal(300),
  EvaluationPeriods: z.literal(1),
});
/** The most that a stack in production may cost in a month before it does anything, in US dollars. */
const MAX_FIXED_USD = 6;

const Line = z.object({ alert: z.optional(z.string()) });

/** Failures of requests that must raise no alarm. */
const USUAL = (
  ['project-not-found', 'custom-id-in-use', 'rate-limited', 'team-without-translator', 'not-supported'] as const
).map(planted);

/** Tests that each fault raises its alarm: the metric filters against the lines that the functions write. */
export function alerts(template: Template, service: ServiceName): void {
  // The metric of rollouts has its tests in `rollout.ts`.
  const filters = filtersOf(template).filter(({ metric }) => !['Broken', 'ReportedErrors'].includes(metric));
  const reporting = filtersOf(template).filter(({ metric }) => metric === 'ReportedErrors');
  const alarms = new Map(
    [...propertiesOf(template, 'AWS::CloudWatch::Alarm')].flatMap(([id, alarm]) => {
      const { data } = LogAlarm.safeParse(alarm);
      return data ? [[id.replace(/^Alarms/, ''), data] as const] : [];
    }),
  );

  /** Returns the lines that a run writes, or that it returns. */
  async function linesOf(run: () => unknown): Promise<string[]> {
    let returned: unknown;
    const lines = await loggedLines(async () => {
      returned = await run();
    });
    return typeof returned === 'string' ? [returned] : lines;
  }

  /** Returns the sums of the metrics that lines of a function or a bulk run change, if each is written several times. */
  function sumsOf(name: string, lines: readonly string[], times = 1): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    for (const filter of filters.filter(({ log }) => log === logOf(name))) {
      const sum = lines.reduce((before, line) => before + amountOf(filter, line), 0);
      if (sum !== 0) sums.set(filter.metric, (sums.get(filter.metric) ?? 0) + times * sum);
    }
    return sums;
  }

  it('has an alarm of each kind, which starts at the points of one urgent alert', () => {
    const thresholds = [...alarms].map(([id, { MetricName, Threshold }]) => [id, MetricName, Threshold]);
    expect(thresholds).toEqual(['PageAlerts', 'TicketAlerts', 'LastingAlerts'].map((id) => [id, id, ALARM_POINTS]));
  });

  it('has filters for each log of functions and that of the bulk runs', () => {
    expect([...new Set(filters.map(({ log }) => log))].sort()).toEqual([...FUNCTION_LOGS, 'bulk'].sort());
  });

  describe('raises an alarm for', () => {
    const faults = loggedFaults(service);

    it.each(faults)('$name: $times times in the log of $log', async ({ log, run, times, alarm }) => {
      const lines = await linesOf(run);
      for (const line of lines) {
        const counting = filters.filter((filter) => filter.log === logOf(log) && amountOf(filter, line) !== 0);
        expect(counting.length).toBeLessThanOrEqual(1);
      }
      const sum = sumsOf(log, lines, times).get(alarm) ?? 0;
      expect({ lines, isRaised: sum >= (alarms.get(alarm)?.Threshold ?? Number.NaN) }).toEqual({
        lines,
        isRaised: true,
      });
    });

    it('each alert of the service', async () => {
      const logged = new Set<string>();
      for (const { run } of faults) {
        for (const line of await linesOf(run)) {
          const { alert } = line.startsWith('{') ? Line.parse(JSON.parse(line)) : {};
          if (alert !== undefined) logged.add(alert);
        }
      }
      expect([...logged].sort()).toEqual(codesOf(service));
    });
  });

  it.each(Object.entries(FAILING))('counts no usual refusals by %s', async (log, run) => {
    for (const problem of USUAL) {
      const lines = await linesOf(() => run(problem));
      expect(sumsOf(log, lines).size).toBe(0);
      expect(lines).toHaveLength(1);
    }
  });

  describe('pages once for one cause: to the answers from 500 of the API', () => {
    const reported = (log: string, lines: readonly string[]) =>
      reporting
        .filter((filter) => filter.log === logOf(log))
        .flatMap((filter) => lines.map((line) => amountOf(filter, line)))
        .reduce((sum, amount) => sum + amount, 0);
    const failures = (['team-without-translator', 'not-supported', 'unavailable', 'internal-error'] as const).map(
      planted,
    );
    const behindApi = functionsOf(service).filter(({ name }) => BEHIND_API.has(name));

    it('has a filter for the log of the functions behind the API, in which no other writes', () => {
      expect(reporting.map(({ log }) => log)).toEqual(['Http']);
      expect(functionsOf(service).filter(({ log }) => log === 'Http')).toEqual(behindApi);
    });

    it.each(behindApi.flatMap(({ name }) => (FAILING[name] ? [[name, FAILING[name]] as const] : [])))(
      'adds -1 for each that %s has logged: it is an alert already, or required by the contract',
      async (log, run) => {
        for (const problem of failures) {
          // The authorizer knows no answers that the contract requires.
          if (log === 'authorizer' && alertOf(failureFields(problem)) === undefined) continue;
          const lines = await linesOf(() => run(problem));
          expect({ lines, sum: reported(log, lines) }).toEqual({ lines, sum: -1 });
        }
        const notFound = await linesOf(() => run(planted('project-not-found')));
        expect(reported(log, notFound)).toBe(0);
      },
    );

    it.each(behindApi.map(({ name }) => name))('adds nothing if Lambda ends %s, which no alert counts', (log) => {
      for (const line of ENDED) {
        expect(reported(log, [line])).toBe(0);
        expect(sumsOf(log, [line]).size).toBe(0);
      }
    });

    it('adds nothing for a table or a secret that fails without a failed request', async () => {
      const others = [
        ...(await linesOf(() => logTableFailure(new Error('No.')))),
        ...(await linesOf(() => logStaleSecret('staleSecret')(60_000, planted('unavailable')))),
      ];
      expect(others).toHaveLength(2);
      for (const { name } of behindApi) expect(reported(name, others)).toBe(0);
    });
  });

  it('raises no alarm for a translation that fails because of its text, or without an engine', async () => {
    for (const code of ['failed', 'invalid-answer', 'timed-out', 'unsupported-pair', 'no-engine'] as const) {
      const lines = await linesOf(() =>
        logFailedTranslation()({
          companyId: 'acme',
          projectId: 1,
          languageCode: 'de',
          failure: new EngineFailure(code),
        }),
      );
      expect(lines).toEqual([expect.stringContaining(`"cause":{"name":"EngineFailure","code":"${code}"`)]);
      expect(sumsOf('jobs', lines).size).toBe(0);
    }
  });

  it.each(Object.entries(BACKGROUND))(
    'counts nothing in the log of %s without work, so it costs nothing',
    async (log, run) => {
      const lines = await linesOf(() => run({}));
      expect(lines).toHaveLength(1);
      expect(sumsOf(log, lines).size).toBe(0);
    },
  );

  it('has as many secrets, metrics and dashboards as docs/cost.md says', async () => {
    const counted = new Set<string>();
    for (const [log, run] of Object.entries(BACKGROUND)) {
      for (const metric of sumsOf(log, await linesOf(() => run({}))).keys()) counted.add(metric);
    }
    const all = (type: string) => [...propertiesOf(template, type).values()];
    // An alarm of one metric has it in its own properties. In an alarm of several metrics, expressions do not count.
    const metrics = [...alarmsOf(template).values()].flatMap(
      ({ Metrics }) => Metrics?.filter(({ MetricStat }) => MetricStat) ?? [{}],
    );
    expect({
      secretMonth: all('AWS::SecretsManager::Secret').length,
      alarmMetricMonth: metrics.length,
      logMetricMonth: counted.size,
      dashboardMonth: all('AWS::CloudWatch::Dashboard').length,
    }).toEqual(FIXED[service].production);
    expect(usd(FIXED[service].production)).toBeLessThanOrEqual(MAX_FIXED_USD);
  });

  it('counts no failed lines of a manifest, and no execution that was stopped', () => {
    const lines = [
      executionLine('ExecutionFailed', 'express:Bulk-acme/Lines:5f1c:8f3a'),
      executionLine('ExecutionFailed', 'execution:Bulk-acme/Lines:5f1c:8f3a'),
      executionLine('ExecutionAborted', 'execution:Bulk-acme:run-1'),
      executionLine('MapRunFailed', 'execution:Bulk-acme:run-1'),
    ];
    expect(sumsOf('bulk', lines).size).toBe(0);
  });

  it('names the cause of a failure before its problem', () => {
    const refused = problemFrom(noResponse(new NoAnswer(false, 'ECONNREFUSED'), READ));
    expect([LOCKED_OUT, refused].map((error) => alertOf(failureFields(error)))).toEqual([
      'upstream-locked-out',
      'upstream-unusable',
    ]);
  });
}

/** Returns the alerts that functions of a service log, without those of options. */
function codesOf(service: ServiceName): string[] {
  const ofHosted = [
    ...['events-waiting', 'failed-events', 'results-waiting', 'failed-results'],
    ...['jobs-waiting', 'sweeps-waiting', 'translations-failing'],
  ];
  const ofUpstream = ['upstream-locked-out', 'upstream-held-back', 'operations-open', 'operations-given-up', 'strays'];
  const ofCanary = ['canary-failed', 'canary-without-key'];
  const others = [...ofCanary, ...(service === 'hosted' ? ofUpstream : ofHosted)];
  // A test runs the functions of both services with all problems, so that of the upstream service comes in both.
  return Object.keys(ALERTS)
    .filter((code) => !others.includes(code) && !(service === 'hosted' && code === 'upstream-unusable'))
    .sort();
}

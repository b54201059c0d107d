import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { canaryHandler } from '../../lib/canary/canary-handler.ts';
import { CANARY_UNSET } from '../../lib/contract/canary.ts';
import { CANARY } from '../../tools/docs/cost.ts';
import { contextOf } from '../lib/http/fixture.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { alarmsOf } from './suites/alarms.ts';
import { amountOf, filtersOf } from './suites/metric-filters.ts';
import { synthesiseAll } from './synthesise.ts';
import { allowedBy, propertiesOf, variablesOf } from './template.ts';

const [without, { template, warnings }, reads] = [
  await synthesiseAll('upstream', {}),
  await synthesiseAll('upstream', { canary: 'create' }),
  await synthesiseAll('upstream', { canary: 'reads' }),
];

describe('the canary', () => {
  it('does not exist unless its option is set', () => {
    expect([...propertiesOf(without.template, 'AWS::Lambda::Function').keys()]).not.toContain('CanaryLambda');
    expect(propertiesOf(without.template, 'AWS::SecretsManager::Secret').has('StoresCanarySecret')).toBe(false);
  });

  it('may only read its key, and knows the URL of the API', () => {
    const rights = allowedBy(propertiesOf(template, 'AWS::IAM::Role').get('CanaryRole'));
    expect(rights.filter((line) => !/^(logs|sqs):/.test(line))).toEqual([
      'secretsmanager:GetSecretValue on StoresCanarySecret',
    ]);
    const { SEGUE_CANARY, SEGUE_CANARY_URL } = variablesOf(template, 'canary');
    expect(SEGUE_CANARY).toBe('create');
    expect(SEGUE_CANARY_URL).toMatch(/^https:\/\/ApiRest\.execute-api\..*\/ApiRestDeploymentStageprod$/);
  });

  it('has a secret that is deleted with the stack', () => {
    template.hasResource('AWS::SecretsManager::Secret', {
      DeletionPolicy: 'Delete',
      Properties: { Description: Match.stringLikeRegexp('segue company add --canary') },
    });
  });

  it('warns of the projects that it creates at an upstream service', () => {
    expect(without.warnings).toEqual([]);
    expect(reads.warnings).toEqual([]);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^The canary creates a real project at the upstream service every 5 minutes, .*reads\. \[ack/,
      ),
    ]);
  });

  it.each([
    ['canary-failed', 'PageAlerts', 'example'],
    ['canary-without-key', 'LastingAlerts', CANARY_UNSET],
  ])('raises an alarm by its alert %s', async (alert, alarm, companyId) => {
    const readSecret = async () => JSON.stringify({ companyId, apiKey: 'none' });
    const canary = canaryHandler(
      { baseUrl: 'https://projects.example.com', mode: 'reads', readSecret },
      { now: Date.now },
    );
    // There is too little time to send anything.
    const lines = await loggedLines(() => canary({}, contextOf(10_000)));
    const sums = new Map<string, number>();
    for (const filter of filtersOf(template).filter(({ log }) => log === 'Background')) {
      for (const line of lines) sums.set(filter.metric, (sums.get(filter.metric) ?? 0) + amountOf(filter, line));
    }
    expect(lines.join()).toContain(`"alert":"${alert}"`);
    expect(sums.get(alarm)).toBeGreaterThanOrEqual(Number(Object(alarmsOf(template).get(alarm)).Threshold));
  });

  it('costs as much as docs/cost.md says', () => {
    const metricsIn = (of: Template) =>
      [...alarmsOf(of).values()].flatMap(({ Metrics }) => Metrics?.filter(({ MetricStat }) => MetricStat) ?? [{}])
        .length;
    const secretsIn = (of: Template) => propertiesOf(of, 'AWS::SecretsManager::Secret').size;
    expect({
      secretMonth: secretsIn(template) - secretsIn(without.template),
      alarmMetricMonth: metricsIn(template) - metricsIn(without.template),
    }).toEqual(CANARY);
  });
});

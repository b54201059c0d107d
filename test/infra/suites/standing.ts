import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { ServiceName } from '../../../infra/functions/catalogue.ts';
import { IDLE } from '../../../scripts/docs/cost.ts';
import { propertiesOf } from '../template.ts';

const Alarm = z.object({ Metrics: z.optional(z.array(z.object({ MetricStat: z.optional(z.unknown()) }))) });
const Filter = z.object({
  MetricTransformations: z.array(z.object({ MetricNamespace: z.string(), MetricName: z.string() })),
});

/** What costs something whether the stack is used or not. */
export function standing(template: Template, service: ServiceName): void {
  it('is counted in docs/cost.md', () => {
    const all = (type: string) => [...propertiesOf(template, type).values()];
    const alarms = all('AWS::CloudWatch::Alarm').map((properties) => Alarm.parse(properties));
    // an alarm of one metric has it in its own properties, and one of several counts those that are no expressions
    const metrics = alarms.flatMap(({ Metrics }) => Metrics?.filter(({ MetricStat }) => MetricStat) ?? [{}]);
    const made = all('AWS::Logs::MetricFilter').flatMap((properties) => Filter.parse(properties).MetricTransformations);
    const names = new Set(made.map(({ MetricNamespace, MetricName }) => `${MetricNamespace} ${MetricName}`));
    expect({
      secretMonth: all('AWS::SecretsManager::Secret').length,
      alarmMetricMonth: metrics.length,
      logMetricMonth: names.size,
      dashboardMonth: all('AWS::CloudWatch::Dashboard').length,
    }).toEqual(IDLE[service].production);
  });
}

import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { synthesise } from './synthesise.ts';
import { propertiesOf } from './template.ts';

const [inPlace, atOnce, changed] = await Promise.all([
  synthesise('hosted', { rollout: 'in-place', alarms: false, alarmEmail: undefined, dashboard: false }),
  synthesise('hosted', { rollout: 'at-once' }),
  synthesise('hosted', {
    rollout: 'at-once',
    startToleranceSeconds: '60',
    reservedConcurrency: { readProjects: 5 },
  }),
]);

/** Returns the logical ids of the versions, by the names of their functions. */
function versionsOf(template: Template): Map<string, string> {
  const entries = Object.keys(template.findResources('AWS::Lambda::Version')).map((id) => {
    const [, name = ''] = /^(\w+)LambdaCurrentVersion/.exec(id) ?? [];
    return [name, id] as const;
  });
  return new Map(entries);
}

describe('the rollout in-place', () => {
  it('has no version, alias, alarm or deployment of CodeDeploy', () => {
    const types = ['AWS::Lambda::Version', 'AWS::Lambda::Alias', 'AWS::CodeDeploy::DeploymentGroup'];
    for (const type of [
      ...types,
      'AWS::CodeDeploy::Application',
      'AWS::CloudWatch::Alarm',
      'AWS::Logs::MetricFilter',
    ]) {
      inPlace.resourceCountIs(type, 0);
    }
    expect(propertiesOf(inPlace, 'AWS::IAM::Role').has('GradualRolloutRole')).toBe(false);
  });
});

describe('the rollout at-once', () => {
  it('has versions and aliases, and changes them without CodeDeploy and its alarm', () => {
    expect(versionsOf(atOnce).size).toBe(Object.keys(atOnce.findResources('AWS::Lambda::Alias')).length);
    expect(versionsOf(atOnce).size).toBeGreaterThan(0);
    atOnce.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0);
    for (const alias of Object.values(atOnce.findResources('AWS::Lambda::Alias'))) {
      expect(alias).not.toHaveProperty('UpdatePolicy');
    }
    expect(propertiesOf(atOnce, 'AWS::CloudWatch::Alarm').has('RollbackAlarm')).toBe(false);
  });

  it('makes a new version for a change of the environment, and none for a change that Lambda does not version', () => {
    const before = versionsOf(atOnce);
    const after = versionsOf(changed);
    expect([...after.keys()]).toEqual([...before.keys()]);
    const renewed = [...after].flatMap(([name, id]) => (before.get(name) === id ? [] : [name]));
    expect(renewed.sort()).toEqual(['BulkLine', 'ChangeProjects', 'CreateProjectTask', 'Deliveries']);
  });
});

import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { synthesise } from './synthesise.ts';
import { propertiesOf } from './template.ts';

const [inPlace, gradual, atOnce, changed] = await Promise.all([
  synthesise('hosted', { rollout: 'in-place', alarms: false, alarmEmail: undefined, dashboard: false }),
  synthesise('hosted'),
  synthesise('hosted', { rollout: 'at-once' }),
  synthesise('hosted', {
    rollout: 'at-once',
    startToleranceSeconds: '60',
    reservedConcurrency: { readProjects: 5 },
  }),
]);

const idsOf = (template: Template) => Object.keys(template.toJSON()['Resources']).sort();

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
    expect(propertiesOf(inPlace, 'AWS::IAM::Role').has('AliasDeploymentsRole')).toBe(false);
  });
});

describe('the rollout at-once', () => {
  it('has the same resources as gradual, so that a deployment out of an incident deletes nothing', () => {
    expect(idsOf(atOnce)).toEqual(idsOf(gradual));
    expect(versionsOf(atOnce).size).toBeGreaterThan(0);
  });

  it('changes all aliases at once, whatever the alarm says', () => {
    const groups = Object.values(atOnce.findResources('AWS::CodeDeploy::DeploymentGroup'));
    expect(groups).toHaveLength(versionsOf(atOnce).size);
    for (const group of groups) {
      expect(group['Properties']).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaAllAtOnce',
        AlarmConfiguration: { Enabled: false },
      });
    }
  });

  it('makes a new version for a change of the environment, and none for a change that Lambda does not version', () => {
    const before = versionsOf(atOnce);
    const after = versionsOf(changed);
    expect([...after.keys()]).toEqual([...before.keys()]);
    const renewed = [...after].flatMap(([name, id]) => (before.get(name) === id ? [] : [name]));
    expect(renewed.sort()).toEqual(['ChangeProjects']);
  });
});

import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { functionsOf } from '../../../infra/functions/catalogue.ts';
import { FUNCTION_LOGS, type ServiceName } from '../../../infra/functions/function-spec.ts';
import { logJob } from '../../../lib/hosted/work/job-worker.ts';
import { ROUTES } from '../../../lib/operations/routes.ts';
import { jsonLog } from '../../../lib/service/log.ts';
import { EngineFailure } from '../../../lib/service/translation-engine.ts';
import { allowedBy, constructOf, propertiesOf } from '../template.ts';
import { amountOf, filtersOf } from './metric-filters.ts';

const BEHIND_API: ReadonlySet<string> = new Set(['authorizer', ...ROUTES.map((route) => route.function)]);

const Ref = z.object({ Ref: z.string() });
const Permission = z.object({
  Principal: z.string(),
  FunctionName: z.union([Ref, z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) })]),
});
const Alias = z.object({
  Properties: z.object({
    Name: z.string(),
    FunctionName: Ref,
    FunctionVersion: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Version')]) }),
  }),
  UpdatePolicy: z.optional(
    z.object({ CodeDeployLambdaAliasUpdate: z.object({ ApplicationName: Ref, DeploymentGroupName: Ref }) }),
  ),
});

/** Tests versions, aliases, and how requests shift to a new version. The stack has the rollout `gradual`. */
export function rollout(template: Template, service: ServiceName): void {
  const deployed = functionsOf(service);
  const versioned = deployed.filter(({ name }) => BEHIND_API.has(name));
  const found = Object.values(template.findResources('AWS::Lambda::Alias')).map((alias) => Alias.parse(alias));
  const aliases = new Map(
    found.map(({ Properties, UpdatePolicy }) => [
      Properties.FunctionName.Ref.slice(0, -8),
      { ...Properties, UpdatePolicy },
    ]),
  );
  const versions = template.findResources('AWS::Lambda::Version');
  const groups = template.findResources('AWS::CodeDeploy::DeploymentGroup');

  it.each(versioned)('calls $name by the alias of a version, which is kept', ({ name }) => {
    const alias = aliases.get(`${constructOf(name)}Lambda`);
    expect(alias?.Name).toBe('live');
    const [version = ''] = alias?.FunctionVersion['Fn::GetAtt'] ?? [];
    expect(versions[version]).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
  });

  it('has no other version, and lets API Gateway call no function without its alias, and others no alias', () => {
    expect([aliases.size, Object.keys(versions).length]).toEqual([versioned.length, versioned.length]);
    const permissions = [...propertiesOf(template, 'AWS::Lambda::Permission').values()].map((permission) =>
      Permission.parse(permission),
    );
    for (const { Principal, FunctionName } of permissions) {
      const isAlias = 'Ref' in FunctionName && /Live[0-9A-F]{8}$/.test(FunctionName.Ref);
      expect(isAlias, JSON.stringify(FunctionName)).toBe(Principal === 'apigateway.amazonaws.com');
    }
  });

  it('shifts requests to the functions behind the API, and to no other', () => {
    const shifted = versioned.filter(({ name }) => aliases.get(`${constructOf(name)}Lambda`)?.UpdatePolicy);
    expect(shifted.map(({ name }) => name).sort()).toEqual([...BEHIND_API].sort());
    const named = [...aliases.values()].flatMap(({ UpdatePolicy }) => UpdatePolicy?.CodeDeployLambdaAliasUpdate ?? []);
    expect(named.map(({ DeploymentGroupName }) => DeploymentGroupName.Ref).sort()).toEqual(Object.keys(groups).sort());
  });

  it('rolls back on the alarm, which CodeDeploy alone reads', () => {
    const alarm = { Name: { Ref: expect.stringMatching(/^RollbackAlarm/) } };
    for (const group of Object.values(groups)) {
      expect(group).toMatchObject({
        Properties: {
          DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
          AlarmConfiguration: { Enabled: true, Alarms: [alarm] },
          AutoRollbackConfiguration: { Enabled: true, Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'] },
        },
      });
    }
    const properties = propertiesOf(template, 'AWS::CloudWatch::Alarm').get('RollbackAlarm');
    expect(properties).toMatchObject({ Period: 60, EvaluationPeriods: 5, DatapointsToAlarm: 2, Threshold: 1 });
    expect(properties).not.toHaveProperty('AlarmActions');
  });

  describe('counts for the alarm, in each log of functions,', () => {
    const filters = filtersOf(template).filter(({ metric }) => metric === 'Broken');
    const counts = (line: string) => filters.map((filter) => amountOf(filter, line));
    const all = (amount: number) => FUNCTION_LOGS.map(() => amount);

    it('lines of each log', () => {
      expect(filters.map(({ log }) => log)).toEqual(FUNCTION_LOGS);
    });

    it.each([
      ['an unexpected error', '{"level":"error","problem":"internal-error"}', 1],
      ['a timeout', '2026-11-20T09:30:29.000Z 3b241101 Task timed out after 29.00 seconds', 1],
      ['a lack of memory', 'RequestId: 3b241101 Error: Runtime exited with error: signal: killed', 1],
      ['a translation engine that fails', engineLine(), 0],
      ['a store that fails', '{"level":"error","problem":"unavailable"}', 0],
      ['an upstream service that fails', '{"level":"error","problem":"upstream-error"}', 0],
    ])('%s: %s, %d times', (_, line, amount) => {
      expect(counts(line)).toEqual(all(amount));
    });
  });

  it('lets CodeDeploy change the aliases that it shifts, and nothing else', () => {
    const role = propertiesOf(template, 'AWS::IAM::Role').get('AliasDeploymentsRole');
    const changed = allowedBy(role).filter((line) => line.startsWith('lambda:UpdateAlias'));
    const resources = [...BEHIND_API].flatMap((name) => [
      `${constructOf(name)}Lambda`,
      `${constructOf(name)}Lambda:live`,
    ]);
    expect(changed).toEqual(resources.map((name) => `lambda:UpdateAlias on ${name}`).sort());
    expect(allowedBy(role).filter((line) => line.endsWith(' on *'))).toEqual(['cloudwatch:DescribeAlarms on *']);
    expect(role).not.toHaveProperty('ManagedPolicyArns');
  });

  it('deploys the API after it may call the functions', () => {
    const [deployment] = Object.values(template.findResources('AWS::ApiGateway::Deployment'));
    const permissions = Object.entries(template.findResources('AWS::Lambda::Permission')).flatMap(([id, permission]) =>
      permission['Properties'].Principal === 'apigateway.amazonaws.com' ? [id] : [],
    );
    expect(permissions).toHaveLength(BEHIND_API.size);
    expect(deployment?.['DependsOn']).toEqual(expect.arrayContaining(permissions));
  });
}

/** Returns the line of a job whose translation engine did not answer. */
function engineLine(): string {
  const lines: string[] = [];
  const log = jsonLog({}, (line) => lines.push(line));
  const failed = { end: 'postponed', durationMs: 0, error: new EngineFailure('unreachable') } as const;
  logJob(log)({ companyId: 'acme', projectId: 7, atMs: 0 }, failed);
  return lines.join('').trimEnd();
}

import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { functionsOf } from '../../../infra/functions/catalogue.ts';
import { FUNCTION_LOGS, type ServiceName } from '../../../infra/functions/function-spec.ts';
import { constructOf, propertiesOf, variablesOf } from '../template.ts';

/** Tests the configuration of each function. `test/aws/rights` tests its role, and that it starts with its variables. */
export function functions(template: Template, service: ServiceName): void {
  const deployed = functionsOf(service);
  const lambdas = propertiesOf(template, 'AWS::Lambda::Function');
  const logs = propertiesOf(template, 'AWS::Logs::LogGroup');

  it.each(deployed)(
    'runs $name on Node 24 on arm64, with its own role and the log $log',
    ({ name, timeoutSeconds, log }) => {
      const id = constructOf(name);
      expect(lambdas.get(`${id}Lambda`)).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
        MemorySize: 1769,
        Timeout: timeoutSeconds,
        Role: { 'Fn::GetAtt': [expect.stringMatching(`^${id}Role[0-9A-F]{8}$`), 'Arn'] },
        LoggingConfig: { LogGroup: { Ref: expect.stringMatching(`^${log}Log[0-9A-F]{8}$`) } },
      });
      expect(logs.get(`${log}Log`)).toEqual({ RetentionInDays: 30 });
    },
  );

  it('sets the rate of the usage plan and the days of recovery', () => {
    expect(variablesOf(template, 'tokens')['SEGUE_RATE']).toBe('50:100');
    const changing = [
      'changeProjects',
      'createProjectTask',
      'putProjectTask',
      'deleteProjectTask',
      'bulkLine',
      'deliveries',
    ];
    const days = changing.map((name) => variablesOf(template, name)['SEGUE_RECOVERY_DAYS']);
    expect(new Set(days)).toEqual(new Set([service === 'hosted' ? '7' : undefined]));
  });

  it('has no other function, role, policy or log, except for the logs of the API, of the firewall and of bulk runs, and CodeDeploy', () => {
    template.resourceCountIs('AWS::IAM::Policy', 0);
    template.resourceCountIs('AWS::IAM::ManagedPolicy', 0);
    const idsOf = (type: string, suffix: string) =>
      [...propertiesOf(template, type).keys()]
        .filter((id) => id !== `ApiAccessLogs${suffix}` && id !== `AliasDeployments${suffix}`)
        .sort();
    const named = (suffix: string) => deployed.map(({ name }) => `${constructOf(name)}${suffix}`).sort();
    expect(idsOf('AWS::Lambda::Function', 'Lambda')).toEqual(named('Lambda'));
    expect(idsOf('AWS::IAM::Role', 'Role')).toEqual(named('Role'));
    const shared = FUNCTION_LOGS.map((log) => `${log}Log`);
    expect(idsOf('AWS::Logs::LogGroup', 'Log')).toEqual([...shared, 'ApiFirewallLogGroup', 'BulkLog'].sort());
  });
}

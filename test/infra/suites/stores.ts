import { Match, type Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { propertiesOf } from '../template.ts';

/** The table and the secrets. */
export function stores(template: Template): void {
  it('has one table for the company keys, paid by use, encrypted, recoverable, kept when the stack goes', () => {
    template.resourceCountIs('AWS::DynamoDB::Table', 1);
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        AttributeDefinitions: [
          { AttributeName: 'partition', AttributeType: 'S' },
          { AttributeName: 'sort', AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: 'partition', KeyType: 'HASH' },
          { AttributeName: 'sort', KeyType: 'RANGE' },
        ],
        BillingMode: 'PAY_PER_REQUEST',
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: { SSEEnabled: true },
      },
    });
  });

  it('has the secrets generated where they are kept: the template says none', () => {
    expect(Object.fromEntries(propertiesOf(template, 'AWS::SecretsManager::Secret'))).toEqual({
      StoresUpstreamSecret: {
        Description: expect.any(String),
        // changed in any way, this would overwrite what the operator filled in
        GenerateSecretString: {
          SecretStringTemplate: '{"companyId":"fill-in"}',
          GenerateStringKey: 'apiKey',
          ExcludePunctuation: true,
        },
      },
      StoresSigningSecret: {
        Description: expect.any(String),
        GenerateSecretString: {
          SecretStringTemplate: '{"id":"initial"}',
          GenerateStringKey: 'secret',
          PasswordLength: 64,
          ExcludePunctuation: true,
        },
      },
    });
  });

  it('puts out what an operator needs next', () => {
    for (const name of ['ApiUrl', 'UpstreamSecretArn', 'TableName', 'CreateProjectTaskArn', 'DeleteProjectTaskArn']) {
      template.hasOutput(name, { Value: Match.anyValue() });
    }
    expect(Object.keys(template.findOutputs('*'))).toHaveLength(5);
  });
}

import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { FUNCTIONS, type FunctionName } from '../../../infra/bundle.ts';
import { allowedBy, constructOf, propertiesOf } from '../template.ts';

const UPSTREAM = ['secretsmanager:GetSecretValue on StoresUpstreamSecret'];
const KEYS = ['dynamodb:GetItem on StoresTable', 'secretsmanager:GetSecretValue on StoresSigningSecret'];
const TOKENS = [
  'dynamodb:GetItem on StoresTable',
  'dynamodb:UpdateItem on StoresTable',
  'secretsmanager:GetSecretValue on StoresSigningSecret',
];

/** Every action that each function's role has, beside writing to the function's own log. */
const ACTIONS: Record<FunctionName, string[]> = {
  createProject: UPSTREAM,
  listProjects: UPSTREAM,
  getProject: UPSTREAM,
  getProjectByCustomId: UPSTREAM,
  deleteProject: UPSTREAM,
  deleteProjectByCustomId: UPSTREAM,
  listLanguages: [],
  obtainToken: TOKENS,
  refreshToken: TOKENS,
  health: [],
  getProblemType: [],
  authorizer: KEYS,
  createProjectTask: UPSTREAM,
  deleteProjectTask: UPSTREAM,
};

const CREDENTIALS = ['SEGUE_SIGNING_SECRET', 'SEGUE_TABLE'];
/** What a function is told, by what it may do. */
const VARIABLES = new Map([
  [UPSTREAM, ['SEGUE_UPSTREAM_SECRET', 'SEGUE_UPSTREAM_URL']],
  [KEYS, CREDENTIALS],
  [TOKENS, CREDENTIALS],
]);
const TIMEOUT_SECONDS = { http: 29, authorizer: 10, task: 60 };

/** How each function runs, what it is told and what it may do. */
export function functions(template: Template): void {
  const lambdas = propertiesOf(template, 'AWS::Lambda::Function');
  const roles = propertiesOf(template, 'AWS::IAM::Role');
  const logs = propertiesOf(template, 'AWS::Logs::LogGroup');

  it.each(FUNCTIONS)('runs $name on Node 24 on arm64, with a role and a log of its own', ({ name, kind }) => {
    const id = constructOf(name);
    expect(lambdas.get(`${id}Lambda`)).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      MemorySize: 1769,
      Timeout: TIMEOUT_SECONDS[kind],
      Role: { 'Fn::GetAtt': [expect.stringMatching(`^${id}Role[0-9A-F]{8}$`), 'Arn'] },
      LoggingConfig: { LogGroup: { Ref: expect.stringMatching(`^${id}Log[0-9A-F]{8}$`) } },
    });
    expect(logs.get(`${id}Log`)).toEqual({ RetentionInDays: 30 });
  });

  it.each(FUNCTIONS)('allows $name its log and what it needs, and nothing else', ({ name }) => {
    const id = constructOf(name);
    const log = [`logs:CreateLogStream on ${id}Log`, `logs:PutLogEvents on ${id}Log`];
    expect(allowedBy(roles.get(`${id}Role`))).toEqual([...log, ...ACTIONS[name]].sort());
  });

  it.each(FUNCTIONS)('tells $name where that is, and nothing else', ({ name }) => {
    const { Environment } = Object(lambdas.get(`${constructOf(name)}Lambda`));
    const expected = VARIABLES.get(ACTIONS[name]) ?? [];
    expect(Object.keys(Environment?.Variables ?? {}).sort()).toEqual(expected);
  });

  it('has no other function, role, policy or log', () => {
    template.resourceCountIs('AWS::IAM::Policy', 0);
    template.resourceCountIs('AWS::IAM::ManagedPolicy', 0);
    for (const resources of [lambdas, roles, logs]) expect(resources.size).toBe(FUNCTIONS.length);
  });
}

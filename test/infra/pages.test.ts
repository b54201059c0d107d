import { globSync } from 'node:fs';
import { Stack } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { LINE } from '../../infra/api/access-logs.ts';
import { METHOD_RATES } from '../../infra/api/method-rates.ts';
import { readSettings, SETTING_NAMES, stackNameOf } from '../../infra/context.ts';
import { withDefaults } from '../../infra/defaults.ts';
import { BEHIND_API } from '../../infra/functions/capacity.ts';
import { functionsOf } from '../../infra/functions/catalogue.ts';
import { FUNCTION_OPTIONS, SERVICES } from '../../infra/functions/function-spec.ts';
import { STAGES } from '../../infra/stages.ts';
import { keyPolicyStatements } from '../../infra/stores/key-policy.ts';
import { SIGNATURE_FAULTS } from '../../lib/contract/basic-credentials.ts';
import { CONTEXTS, EVERY_OPTION, everyOption, MINIMAL, PRIVATE_NETWORK } from '../../tools/contexts.ts';
import { blocks, ROOT, read } from '../docs/world.ts';
import { synthesise } from './synthesise.ts';
import { propertiesOf } from './template.ts';

const Lambda = z.object({ Environment: z.optional(z.object({ Variables: z.record(z.string(), z.unknown()) })) });
const Kept = z.object({ Type: z.string(), DeletionPolicy: z.optional(z.string()) });
/** The fields that the log adds to each line. */
const ADDED_BY_LOG = ['level', 'alarm', 'points', 'coldStart', 'functionVersion', 'release'];
const SETTINGS_PAGE = read('docs/deploy-settings.md');
const everyTemplate = {
  hosted: await synthesise('hosted', everyOption('hosted')),
  upstream: await synthesise('upstream', everyOption('upstream')),
};
const privateNetwork = await synthesise('upstream', PRIVATE_NETWORK);
const outputNames = new Set(
  [...Object.values(everyTemplate), privateNetwork].flatMap((template) => Object.keys(template.findOutputs('*'))),
);

/** Returns the part of a page below a heading. */
const section = (page: string, heading: string) => page.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
/** Returns the first cells of the rows of a section's table, or another column. */
const cells = (text: string, column = 0) =>
  [...text.matchAll(/^\| (.*) \|$/gm)].slice(1).map(([, row = '']) => row.split(' | ')[column] ?? '');
const codes = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
const resourceCount = (template: Template) => Object.keys(template.toJSON()['Resources']).length;

describe('docs/deploy-settings.md', () => {
  it('lists every setting', () => {
    expect(cells(section(SETTINGS_PAGE, 'Settings')).flatMap(codes).sort()).toEqual([...SETTING_NAMES].sort());
  });

  it('shows a cdk.json with valid settings', () => {
    const [shown = ''] = blocks(SETTINGS_PAGE, 'json');
    const { context } = z.object({ context: z.record(z.string(), z.unknown()) }).parse(JSON.parse(shown));
    expect(readSettings(context)).toMatchObject({ bulkCompanies: ['acme', 'example'], firewall: 'managed' });
  });

  describe('shows a policy for a KMS key of your own', () => {
    const [, delegation = '', services = ''] = blocks(SETTINGS_PAGE, 'json');

    it('with the statements for AWS services', () => {
      const place = { partition: 'aws', region: '<region>', account: '<account>', urlSuffix: 'amazonaws.com' };
      const needed = keyPolicyStatements(place).map((statement) => statement.toStatementJson());
      expect(JSON.parse(services)).toEqual(new Stack().resolve(needed));
      expect(JSON.parse(delegation)).toMatchObject({ Principal: { AWS: 'arn:aws:iam::<account>:root' } });
    });

    it('which name every service that encrypts with the key in its own name', () => {
      const types: Readonly<Record<string, string>> = {
        'AWS::Logs::LogGroup': 'logs.<region>.amazonaws.com',
        'AWS::Events::EventBus': 'events.amazonaws.com',
        'AWS::Events::Rule': 'events.amazonaws.com',
        'AWS::SNS::Topic': 'cloudwatch.amazonaws.com',
      };
      // Roles use the key for these, or the identity that deploys. A function has the key's name in a variable.
      const withRoles = ['DynamoDB::Table', 'S3::Bucket', 'SecretsManager::Secret', 'SQS::Queue'];
      const others = [...withRoles, 'IAM::Role', 'IAM::Policy', 'Lambda::Function'].map((type) => `AWS::${type}`);
      const key = String(EVERY_OPTION['encryptionKeyArn']);
      for (const template of Object.values(everyTemplate)) {
        const resources: Record<string, { Type: string }> = template.toJSON()['Resources'];
        const found = Object.values(resources).filter((resource) => JSON.stringify(resource).includes(key));
        const users = new Set(found.map(({ Type }) => Type).filter((type) => !others.includes(type)));
        for (const type of [...users, 'AWS::Events::Rule']) expect(services).toContain(types[type]);
        expect([...users].sort()).toEqual(['AWS::Events::EventBus', 'AWS::Logs::LogGroup']);
      }
    });

    it('and the actions of the roles', () => {
      const used = Object.values(everyTemplate).flatMap((template) =>
        [...JSON.stringify(template.toJSON()).matchAll(/"(kms:\w+)"/g)].map(([, action = '']) => action),
      );
      const actions = new Set(used.filter((action) => action !== 'kms:ViaService'));
      const [text = ''] =
        section(SETTINGS_PAGE, 'Use your own KMS key').match(/A narrower policy must allow.*?roles/s) ?? [];
      const stated = [...text.matchAll(/`(kms:\w+)(\*?)`/g)].map(([, name = '', more]) => ({ name, more }));
      for (const action of actions) {
        expect(
          stated.some(({ name, more }) => (more ? action.startsWith(name) : action === name)),
          action,
        ).toBe(true);
      }
    });
  });

  it('shows valid memory and provisioned concurrency', () => {
    const shown = blocks(SETTINGS_PAGE, 'json').filter((block) => /"(memoryMb|provisionedConcurrency)"/.test(block));
    const rollouts = shown.map((block) => {
      const { service, memoryMb, provisionedConcurrency } = readSettings({
        ...CONTEXTS.hosted,
        ...Object(JSON.parse(block)).context,
      });
      return withDefaults({ service, memoryMb, provisionedConcurrency, alarmEmail: 'none' }).rollout;
    });
    expect(rollouts).toEqual(['gradual', 'gradual']);
  });

  it('names every function that can have provisioned concurrency', () => {
    const [, list = ''] = /functions that API Gateway calls: (.*)\.$/m.exec(SETTINGS_PAGE) ?? [];
    expect(new Set(codes(list))).toEqual(BEHIND_API);
  });

  it('lists every output', () => {
    const listed = cells(section(SETTINGS_PAGE, 'Outputs')).flatMap(codes);
    expect(listed.sort()).toEqual([...outputNames].sort());
  });

  it('names every function', () => {
    const named = cells(section(SETTINGS_PAGE, 'Reserve concurrency'), 1).flatMap(codes);
    const functions = SERVICES.flatMap((service) => functionsOf(service, FUNCTION_OPTIONS)).map(({ name }) => name);
    const settings = ['mailFrom', 'destinations', 'webhooks', 'bulk', 'waits'];
    expect(new Set(named.filter((name) => !settings.includes(name)))).toEqual(new Set(functions));
  });
});

it('docs/settings.md says which functions have each variable', async () => {
  // Every option has 0 days in which a deletion can be undone, and no option has some.
  const options = [{ agents: 'true', waits: 'true' }, MINIMAL];
  const others = await Promise.all(options.map((context) => synthesise('hosted', context)));
  const templates = [...Object.values(everyTemplate), ...others];
  const all = new Set<string>();
  const expected = new Map<string, Set<string>>();
  for (const [id, properties] of templates.flatMap((template) => [
    ...propertiesOf(template, 'AWS::Lambda::Function'),
  ])) {
    if (!id.endsWith('Lambda')) continue;
    const name = id.charAt(0).toLowerCase() + id.slice(1, -'Lambda'.length);
    all.add(name);
    for (const variable of Object.keys(Lambda.parse(properties).Environment?.Variables ?? {})) {
      expected.set(variable, (expected.get(variable) ?? new Set()).add(name));
    }
  }
  const stated = new Map<string, Set<string>>();
  const text = section(read('docs/settings.md'), 'The deployed functions');
  for (const [index, cell] of cells(text, 1).entries()) {
    const names = new Set(codes(cell));
    const [same] = names;
    const functions = cell.startsWith('all')
      ? new Set([...all].filter((name) => !names.has(name)))
      : (stated.get(same ?? '') ?? names);
    for (const variable of codes(cells(text)[index] ?? '')) stated.set(variable, functions);
  }
  // It has its place in another section of the page, because `npm start` reads it too.
  expected.delete('SEGUE_START_TOLERANCE_SECONDS');
  expect(stated).toEqual(expected);
});

it.each(['deploy', 'operations', 'remove-stack', 'restore', 'companies', 'bulk'])(
  'docs/%s.md names only outputs that exist',
  (page) => {
    const placeholders = [...read(`docs/${page}.md`).matchAll(/<((?:[A-Z][a-z]+){2,})>/g)].map(([, name]) => name);
    expect([...outputNames]).toEqual(expect.arrayContaining(placeholders));
  },
);

/** The commands of the CDK in the docs that read the settings of a stack, with their pages. */
const COMMANDS = globSync('docs/*.md', { cwd: ROOT }).flatMap((page) =>
  [...blocks(read(page), 'sh'), ...blocks(read(page), 'bash')]
    .flatMap((block) => block.replaceAll(/\\\n\s*/g, '').match(/npx cdk .*/g) ?? [])
    // A command with placeholders has no valid settings.
    .filter((command) => !command.includes('<'))
    .map((command) => [page, command] as const),
);

it.each(COMMANDS)('%s has a command that is complete: %s', (_, command) => {
  const given = Object.fromEntries(
    [...command.matchAll(/ -c (\w+)=(\S+)/g)].map(([, name = '', value]) => [name, value]),
  );
  // A command that does not choose the service reads `cdk.json`.
  const isAlone = 'service' in given || 'upstreamUrl' in given;
  const { service, stage = 'production', alarmEmail } = readSettings({ ...(isAlone ? {} : CONTEXTS.hosted), ...given });
  expect(withDefaults({ service, stage, alarmEmail }).service).toBe(service);
});

describe('the deployments of docs/deploy.md', () => {
  const page = read('docs/deploy.md');
  const deployments = blocks(page, 'sh').flatMap((block) => block.match(/^npx cdk deploy .*$/gm) ?? []);

  it.each(deployments)('%s has valid settings, and deploys the stack that the page names', (deployment) => {
    const context = Object.fromEntries(
      [...deployment.matchAll(/ -c (\w+)=(\S+)/g)].map(([, name = '', value]) => [name, value]),
    );
    const name = stackNameOf(readSettings(context));
    expect(name).toBe(deployment.includes('stage=development') ? 'Segue-development' : 'Segue');
    expect(page).toContain(`the name \`${name}\``);
  });

  it('begin with the stage development', () => {
    expect(deployments.map((deployment) => deployment.includes('stage=development'))).toEqual([true, true, false]);
  });

  it('differ between the stages as the table says', () => {
    const text = section(page, 'Deploy to production');
    const { development, production } = STAGES;
    expect(text).toContain(`| ${development.recoveryDays} day | ${production.recoveryDays} days |`);
    expect(text).toContain(`| logs | ${development.logDays} days | ${production.logDays} days |`);
    expect([development.rollout, production.rollout]).toEqual(['in-place', 'gradual']);
  });
});

describe('docs/remove-stack.md', () => {
  const page = read('docs/remove-stack.md');
  /** The loops of the page's commands: the outputs that a loop names, and the commands that delete each of them. */
  const loops = blocks(section(page, 'Delete the data'), 'sh').flatMap((block) =>
    [...block.matchAll(/^for \w+ in ([^;]*); do\n(.*?)^done$/gms)].map(([, names = '', commands = '']) => ({
      names: [...names.matchAll(/<(\w+)>/g)].map(([, name = '']) => name),
      commands,
    })),
  );
  /** The command that deletes a kept resource of a type, which an output names. */
  const DELETED_BY: Readonly<Record<string, string>> = {
    'AWS::DynamoDB::Table': 'aws dynamodb delete-table --table-name $table',
    'AWS::S3::Bucket': 'aws s3 rb s3://$bucket',
    'AWS::SecretsManager::Secret':
      'aws secretsmanager delete-secret --force-delete-without-recovery --secret-id $secret',
  };
  /** Other kept resources, with the words of the page about them. */
  const OTHERWISE: Readonly<Record<string, string>> = {
    'AWS::Logs::LogGroup': 'xargs -n 1 aws logs delete-log-group --log-group-name < log-groups.txt',
    'AWS::ApiGateway::Account': 'the role with which API Gateway logs',
    'AWS::IAM::Role': 'the role with which API Gateway logs',
    'AWS::S3::BucketPolicy': 'S3 deletes the policy of a bucket together with the bucket',
    'AWS::Lambda::Version': 'Lambda deletes the versions of a function together with the function',
  };

  it.each(SERVICES)('deletes everything that outlives a stack of %s', (service) => {
    const template = everyTemplate[service];
    const outputs = Object.entries(template.findOutputs('*'));
    const kept = Object.entries(template.toJSON()['Resources']).map(
      ([id, resource]) => [id, Kept.parse(resource)] as const,
    );
    const counts = new Map<string, number>();
    for (const [id, { Type, DeletionPolicy }] of kept) {
      if (!DeletionPolicy?.startsWith('Retain')) continue;
      counts.set(Type, (counts.get(Type) ?? 0) + 1);
      const command = DELETED_BY[Type];
      if (command === undefined) {
        expect(page, `the page says nothing about ${Type}`).toContain(OTHERWISE[Type] ?? Type);
        continue;
      }
      const names = outputs.filter(([, { Value }]) => Value.Ref === id || Value['Fn::GetAtt']?.[0] === id);
      const deleted = loops.filter(({ commands }) => commands.includes(command)).flatMap((loop) => loop.names);
      expect(deleted, `no command deletes ${id}`).toEqual(
        expect.arrayContaining([expect.toBeOneOf(names.map(([name]) => name))]),
      );
    }
    expect([...counts.keys()].sort()).toEqual([...Object.keys(DELETED_BY), ...Object.keys(OTHERWISE)].sort());
    expect(counts.get('AWS::DynamoDB::Table')).toBeGreaterThan(1);
  });

  it('lists the log groups before the stack is gone', () => {
    expect(section(page, 'Delete the stack')).toMatch(/ResourceType=='AWS::Logs::LogGroup'.*> log-groups\.txt\n/s);
  });
});

it('docs/cdk-construct.md says at most how many resources a gateway has', async () => {
  const page = section(read('docs/cdk-construct.md'), 'Size');
  const [hosted = '', upstream = ''] = [...page.matchAll(/^\| `(?:hosted|upstream)\(.*$/gm)].map(([row]) => row);
  for (const [service, row] of [
    ['hosted', hosted],
    ['upstream', upstream],
  ] as const) {
    const stated = [...row.matchAll(/\d+/g)].map(([digits]) => Number(digits));
    const templates = [
      await synthesise(service, { stage: 'development' }),
      await synthesise(service),
      everyTemplate[service],
    ];
    const counts = templates.map(resourceCount);
    expect(stated).toHaveLength(counts.length);
    for (const [index, count] of counts.entries()) {
      expect(count).toBeLessThanOrEqual(stated[index] ?? 0);
      expect(count).toBeGreaterThan((stated[index] ?? 0) - 20);
    }
  }
});

it('docs/limits.md has the rates of a stack', () => {
  const page = section(read('docs/limits.md'), 'Rates on AWS');
  const { rate, methodRate } = STAGES.production;
  expect(STAGES.development).toMatchObject({ rate, methodRate });
  for (const { perSecond, burst } of [rate, methodRate, ...Object.values(METHOD_RATES)]) {
    expect(page).toContain(`| ${perSecond.toLocaleString('en')} | ${burst.toLocaleString('en')} |`);
  }
});

describe('docs/logs.md', () => {
  const page = read('docs/logs.md');

  it('lists every field of the access log', () => {
    expect(cells(section(page, 'The access log')).flatMap(codes).sort()).toEqual(Object.keys(LINE).sort());
  });

  it('lists every reason to reject a signature', () => {
    const faults = Object.keys(SIGNATURE_FAULTS).map((fault) => `\`${fault}\``);
    expect(cells(section(page, 'Invalid signatures of webhooks')).slice(-faults.length)).toEqual(faults);
  });

  it('lists every field of a line', () => {
    const source = read('lib/service/log.ts').split('interface Cause')[0] ?? '';
    const fields = [...source.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name = '']) => name);
    expect(cells(section(page, 'The fields of a line')).flatMap(codes).sort()).toEqual(
      [...ADDED_BY_LOG, ...fields].sort(),
    );
  });
});

import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it, vi } from 'vitest';
import { functionsOf } from '../../infra/functions/catalogue.ts';
import { FUNCTION_LOGS, SERVICES } from '../../infra/functions/function-spec.ts';
import { type Context, EXISTING, MINIMAL } from '../../tools/contexts.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { synthesise } from './synthesise.ts';
import { allowedBy, constructOf, methodRatesOf, methodsOf, propertiesOf, variablesOf } from './template.ts';

// a synthesis takes seconds on a busy machine
vi.setConfig({ testTimeout: MUCH_WORK_MS });

const idsOf = (template: Template, type: string) => [...propertiesOf(template, type).keys()].sort();
const tablesOf = (template: Template) => idsOf(template, 'AWS::DynamoDB::Table');
const rightsOf = (template: Template, name: string) =>
  allowedBy(propertiesOf(template, 'AWS::IAM::Role').get(`${constructOf(name)}Role`));

describe.each(SERVICES)('a stack of %s with everything off that can be off', async (service) => {
  const template = await synthesise(service, MINIMAL);
  const deployed = functionsOf(service, []);

  it('has only the functions of projects, each with its role, and their logs', () => {
    expect(idsOf(template, 'AWS::Lambda::Function')).toEqual(
      deployed.map(({ name }) => `${constructOf(name)}Lambda`).sort(),
    );
    for (const name of ['receiveWebhook', 'deliveries', 'prepareBulk', 'bulkLine', 'events', 'sendEvents']) {
      expect(deployed.map((entry): string => entry.name)).not.toContain(name);
    }
    const ofFunctions = idsOf(template, 'AWS::Logs::LogGroup').filter((id) => !id.startsWith('Api'));
    expect(ofFunctions).toEqual(FUNCTION_LOGS.map((log) => `${log}Log`).sort());
  });

  it('has no table of deliveries, no bucket of manifests, no bus, and no output for them', () => {
    expect(tablesOf(template)).toEqual(['StoresCredentials', 'StoresTable']);
    expect(idsOf(template, 'AWS::S3::Bucket')).toEqual(service === 'hosted' ? ['StoresBucket'] : []);
    template.resourceCountIs('AWS::Events::EventBus', 0);
    const outputs = Object.keys(template.findOutputs('*'));
    expect(outputs.filter((name) => /Deliveries|Webhook|Event|Manifests|Bulk/.test(name))).toEqual([]);
  });

  it('names none of them anywhere: in rights, variables, metrics, the dashboard or queries', () => {
    const text = JSON.stringify(template.toJSON());
    expect(text).not.toMatch(/StoresDeliveries|StoresManifests|StoresBus|BulkLog|\/webhooks\/|\/events\/|bulkLine/);
    expect(text).not.toMatch(/SEGUE_(DELIVERIES_TABLE|WEBHOOK_SECRETS|EVENT_SECRETS|EVENT_BUS|MANIFESTS)/);
    expect(text).not.toMatch(/events:PutEvents/);
  });

  it('has no route for them: API Gateway answers 404 there, as for every unknown path', () => {
    const targets = [...methodsOf(template).keys(), ...methodRatesOf(template).keys()];
    expect(targets).toContain('POST /segments/projects');
    expect(targets.filter((target) => /\/(events|webhooks)/.test(target))).toEqual([]);
  });

  it('tells the function of the API description what is off', () => {
    expect(variablesOf(template, 'pages')).toEqual({ SEGUE_SWITCHED_OFF: 'webhooks,bulk,events' });
  });

  it('still takes events out of the outbox, and reads no others from the stream', () => {
    const { FilterCriteria } = Object(
      propertiesOf(template, 'AWS::Lambda::EventSourceMapping').get('PublishEventsStreamMapping'),
    );
    expect(JSON.stringify(FilterCriteria)).toContain('outbox/');
    expect(JSON.stringify(FilterCriteria)).not.toContain('feed/');
    expect(rightsOf(template, 'publishEvents')).toContain('dynamodb:DeleteItem on StoresTable');
  });
});

describe('a single switch', () => {
  it.each<[string, Context, string[]]>([
    ['hosted', { webhooks: false }, ['StoresCredentials', 'StoresDeliveries', 'StoresTable']],
    ['upstream', { webhooks: false }, ['StoresCredentials', 'StoresTable']],
    ['hosted', { events: false }, ['StoresCredentials', 'StoresDeliveries', 'StoresTable']],
  ])('leaves %s with %j the tables that other parts need', async (service, context, tables) => {
    const template = await synthesise(service === 'hosted' ? 'hosted' : 'upstream', context);
    expect(tablesOf(template)).toEqual(tables);
    // Without events, a delivery that a move opened would wait for ever.
    const opens = rightsOf(template, 'publishEvents').includes('dynamodb:UpdateItem on StoresDeliveries');
    expect(opens).toBe(service === 'hosted' && context['events'] !== false);
    expect(propertiesOf(template, 'AWS::Lambda::Function').has('DeliveriesLambda')).toBe(context['webhooks'] !== false);
    expect(propertiesOf(template, 'AWS::S3::Bucket').has('StoresManifests')).toBe(true);
  });

  it.each<[RegExp, Context]>([
    [/^bulkCompanies needs bulk: leave out bulkCompanies, or set bulk to true$/, { bulk: 'false', bulkCompanies: 'a' }],
    [
      /^existingDeliveriesTable is for webhooks, and for the events of service=hosted: leave it out, or set webhooks/,
      { ...MINIMAL, existingDeliveriesTable: EXISTING['existingDeliveriesTable'] },
    ],
    [/^webhooks must be true or false, such as -c webhooks=true$/, { webhooks: 'no' }],
    [/^reservedConcurrency must map function names/, { events: 'false', reservedConcurrency: { sendEvents: 1 } }],
  ])('fails a synthesis with %s for %j', async (message, context) => {
    await expect(synthesise('hosted', context)).rejects.toThrow(message);
  });
});

describe('destinations', () => {
  it('are nowhere in a stack without the option', async () => {
    const text = JSON.stringify((await synthesise('hosted')).toJSON());
    expect(text).not.toMatch(/SendResults|\/destinations\/|SEGUE_DESTINATION/);
  });

  it('give a stack one function, and those that move events only a variable', async () => {
    const [without, template] = [await synthesise('hosted'), await synthesise('hosted', { destinations: 'true' })];
    const added = (type: string) => idsOf(template, type).filter((id) => !idsOf(without, type).includes(id));
    expect(added('AWS::Lambda::Function')).toEqual(['SendResultsLambda']);
    expect(rightsOf(template, 'sendResults')).not.toContain('dynamodb:UpdateItem on StoresTable');
    for (const name of ['publishEvents', 'events']) {
      expect(rightsOf(template, name)).toEqual(rightsOf(without, name));
      expect(variablesOf(template, name)).toEqual({ ...variablesOf(without, name), SEGUE_DESTINATIONS: 'on' });
    }
  });

  it('need events and the hosted service', async () => {
    await expect(synthesise('hosted', { destinations: 'true', events: 'false' })).rejects.toThrow('needs events');
    await expect(synthesise('upstream', { destinations: 'true' })).rejects.toThrow('leave out destinations');
  });
});

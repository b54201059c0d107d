import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll } from 'vitest';
import * as z from 'zod/mini';
import { bundleAll } from '../../../infra/bundle.ts';
import { type FunctionName, functionsOf } from '../../../infra/functions/catalogue.ts';
import type { ServiceName } from '../../../infra/functions/function-spec.ts';
import { secretsManagerClient } from '../../../lib/aws/secrets-manager-store.ts';
import { basicHeader } from '../../../lib/contract/basic-credentials.ts';
import { SCOPES } from '../../../lib/contract/routes.ts';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import { dynamoDbClient } from '../../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../../lib/storage/dynamodb/items.ts';
import { createGateway } from '../../../local/gateway.ts';
import type { AuthorizerHandler, HttpHandler } from '../../../local/pipeline.ts';
import { CONTEXTS, type Context } from '../../../tools/contexts.ts';
import { constructOf, variablesOf as variablesIn } from '../../infra/template.ts';
import type { StartedGateway } from '../../support/gateway.ts';
import { forEachOperation } from '../../support/routes.ts';
import { awsSettings } from '../store.ts';
import { createTable } from '../table.ts';
import { BundledFunctions } from './bundled-functions.ts';
import { synthesised, variablesOf } from './cloudformation.ts';
import { deployed, ENVIRONMENT } from './emulated-stack.ts';

/** The options of each stack. A short settle time makes the outcome of a deletion final soon. */
const OPTIONS: Record<ServiceName, Context> = {
  hosted: { translationEngine: 'pseudo' },
  upstream: { settleSeconds: '1' },
};

/** The functions that a schedule starts, as far as the suite waits for their work. On AWS, streams start them too. */
const SCHEDULED: readonly FunctionName[] = ['jobs', 'deliveries', 'sendEvents', 'reconciler'];
const SCHEDULE_MS = 500;

type ProxyResult = Awaited<ReturnType<HttpHandler>>;
type Authorized = Awaited<ReturnType<AuthorizerHandler>>;
const ProxyResult = z.custom<ProxyResult>((value) => typeof value === 'object' && value !== null);
const Authorized = z.custom<Authorized>((value) => typeof value === 'object' && value !== null);

const folder = mkdtempSync(join(tmpdir(), 'segue-stack-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Creates a secret of a stack: the emulator's CloudFormation skips secrets. */
async function createSecret(value: unknown): Promise<string> {
  const client = secretsManagerClient();
  const name = `stack/${randomUUID()}`;
  await client.send(new CreateSecretCommand({ Name: name, SecretString: JSON.stringify(value) }));
  client.destroy();
  return name;
}

/**
 * Creates a stack in the emulator, and opens the bundles of its functions on this machine. The functions get the
 * environment variables that the stack gives them, and the tables have the names of its tables.
 */
async function openStack(service: ServiceName, upstream: StartedGateway | undefined) {
  const context = { ...CONTEXTS[service], ...OPTIONS[service], stage: 'development' };
  const synthesis = await synthesised(context, ENVIRONMENT);
  const { outputs, physicalIds } = await deployed(`Segue-contract-${service}`, synthesis);
  const output = (name: string) => outputs.get(name) ?? '';
  for (const name of ['TableName', 'CredentialsTableName', 'DeliveriesTableName']) await createTable(output(name));
  await bundleAll(join(folder, service), service);

  const template = Template.fromJSON(JSON.parse(synthesis.template));
  const skipped: Readonly<Record<string, string>> = {
    SEGUE_SIGNING_SECRET: await createSecret({ id: 'initial', secret: 'x'.repeat(64) }),
    ...(upstream && {
      SEGUE_UPSTREAM_SECRET: await createSecret({ companyId: upstream.companyId, apiKey: upstream.apiKey }),
      SEGUE_UPSTREAM_URL: upstream.url,
    }),
  };
  return {
    output,
    functions: new BundledFunctions({
      folder: join(folder, service),
      async variablesOf(name) {
        const ids = [...physicalIds].find(([logicalId]) => logicalId.startsWith(`${constructOf(name)}Lambda`));
        const wanted = variablesIn(template, name);
        const added = Object.entries(skipped).filter(([variable]) => variable in wanted);
        return { ...(await variablesOf(ids?.[1] ?? '')), ...Object.fromEntries(added), ...awsSettings() };
      },
    }),
  };
}

/**
 * Serves the API of a stack until the tests of the file are over, and starts its scheduled functions again and again.
 * @param upstream the service behind a stack of the service `upstream`
 */
export async function serveStack(service: ServiceName, upstream?: StartedGateway) {
  const { output, functions } = await openStack(service, upstream);
  const credentials = dynamoDbItems(output('CredentialsTableName'), dynamoDbClient({ now: Date.now }));
  const companyId = 'acme';
  const key = createApiKey();
  await companiesIn(credentials, Date.now).add(companyId, key, { scopes: SCOPES });

  const call = (name: FunctionName): HttpHandler => {
    return async (event, { getRemainingTimeInMillis }) =>
      ProxyResult.parse(await functions.call(name, event, getRemainingTimeInMillis()));
  };
  const gateway = createGateway({
    now: Date.now,
    authorizer: async (event) => Authorized.parse(await functions.call('authorizer', event)),
    handlers: forEachOperation(({ function: name }) => call(name)),
  });
  const url = `http://127.0.0.1:${await gateway.listen(0)}`;

  const stop = new AbortController();
  const scheduled = functionsOf(service).filter(({ name }) => SCHEDULED.includes(name));
  const running = scheduled.map(async ({ name }) => {
    while (!stop.signal.aborted) {
      await functions.call(name, { source: 'aws.events' }, 50_000);
      await setTimeout(SCHEDULE_MS);
    }
  });
  afterAll(async () => {
    stop.abort();
    await Promise.all(running);
    await gateway.close();
    await functions[Symbol.asyncDispose]();
  });
  return { url, companyId, apiKey: key.apiKey, authorization: basicHeader({ companyId, apiKey: key.apiKey }) };
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { Template } from 'aws-cdk-lib/assertions';
import { build } from 'esbuild';
import { vi } from 'vitest';
import * as z from 'zod/mini';
import { buildOptions } from '../../../infra/bundle.ts';
import { type FunctionName, functionsOf } from '../../../infra/functions/catalogue.ts';
import { FUNCTION_OPTIONS, type ServiceName } from '../../../infra/functions/function-spec.ts';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import { NoAnswer } from '../../../lib/service/http-client/exchange.ts';
import type { HttpAccount } from '../../../lib/service/http-client/sign-in.ts';
import { dynamoDbItems } from '../../../lib/storage/dynamodb/items.ts';
import type { ListedStore } from '../../../lib/storage/port.ts';
import { serviceDoor } from '../../faults/simulation/service-door.ts';
import { variablesOf } from '../../infra/template.ts';
import { contextOf, type EventOptions, eventOf, readAnswer } from '../../lib/http/fixture.ts';
import { type Kind, kindOf, portOf } from '../../lib/upstream/server.ts';
import type { Fate } from '../../lib/upstream/world.ts';
import { DynamoDbStandIn } from '../../support/aws/dynamodb.ts';
import { S3StandIn } from '../../support/aws/s3.ts';
import { type Aws, serveAws } from '../../support/aws/server.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import type { JsonObject } from '../../support/projects.ts';
import { routeOf } from '../../support/routes.ts';
import { hosted } from '../../support/world.ts';
import { PROJECTS_FROM, permissionsFor } from './permissions.ts';

/** An upstream service on a free port. */
export interface Upstream extends AsyncDisposable {
  readonly url: string;
  /** The fates of requests by kind. A request without one is answered normally. */
  fates: Partial<Record<Kind, Fate>>;
}

/** Serves the hosted service for one account. */
export async function serveUpstream({ companyId, apiKey }: HttpAccount): Promise<Upstream> {
  const service = hosted({ storage: new MemoryStorage(), now: Date.now, random: Math.random });
  const door = serviceDoor({ service, now: Date.now, accounts: { [companyId]: apiKey } });

  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const body = await buffer(request);
    const reach = () => door({ method, path, headers, body });
    const fate = upstream.fates[kindOf(method, path)] ?? reach;
    const reply = await fate(reach).catch(orUnanswered);
    if (reply) response.writeHead(reply.status, reply.headers).end(reply.body);
    else request.socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const upstream: Upstream = {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    fates: {},
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return upstream;
}

function orUnanswered(error: unknown): undefined {
  if (!(error instanceof NoAnswer)) throw error;
}

/** The AWS services of a stack, by the names in its template. */
export interface StackAws extends Aws {
  readonly dynamoDb: DynamoDbStandIn;
  readonly deliveries: DynamoDbStandIn;
  readonly projectsFrom: S3StandIn;
  readonly manifests: S3StandIn;
}

export async function serveStack(secrets: Readonly<Record<string, unknown>>): Promise<StackAws> {
  const dynamoDb = new DynamoDbStandIn('StoresTable', 'StoresCredentials');
  const deliveries = new DynamoDbStandIn('StoresDeliveries');
  const [projectsFrom, manifests] = [new S3StandIn(PROJECTS_FROM), new S3StandIn('StoresManifests')];
  const buckets = [new S3StandIn('StoresBucket'), projectsFrom, manifests];
  const aws = await serveAws({ tables: [dynamoDb, deliveries], buckets, secrets });
  return { ...aws, dynamoDb, deliveries, projectsFrom, manifests };
}

const Bundle = z.object({
  handler: z.custom<(event: unknown, context: unknown) => Promise<unknown>>((value) => typeof value === 'function'),
});

/** The functions of a stack in this process, with their bundles and variables. */
export interface Deployed {
  /**
   * Calls a function. Only calls of the same function must not overlap.
   * @returns its result, or its error
   */
  call(name: FunctionName, event: unknown, remainingMs?: number): Promise<unknown>;
  /** The permissions that each function needed, as lines of `action on resource`. */
  readonly needed: ReadonlyMap<FunctionName, ReadonlySet<string>>;
}

/**
 * Bundles all functions of a service at once. These bundles are not minified or split, which takes 1 s instead of 6.
 */
export async function bundle(service: ServiceName, outdir: string): Promise<void> {
  const entryPoints = Object.fromEntries(
    functionsOf(service, FUNCTION_OPTIONS).map(({ name, entry }) => [`${name}/index`, entry]),
  );
  await build({ ...buildOptions(service), entryPoints, outdir });
}

interface DeployedOptions {
  readonly template: Template;
  /** The folder of the bundles. */
  readonly folder: string;
  readonly aws: StackAws;
  /** Values that replace those of the template, in functions that have these variables. */
  readonly environment: Readonly<Record<string, string>>;
}

export function deployed({ template, folder, aws, environment }: DeployedOptions): Deployed {
  const needed = new Map<FunctionName, Set<string>>();
  return {
    needed,
    async call(name, event, remainingMs = 29_000) {
      const variables = { ...variablesOf(template, name), ...onAws(aws.url) };
      const replaced = Object.entries(environment).filter(([variable]) => variable in variables);
      vi.unstubAllEnvs();
      for (const [variable, value] of [...Object.entries(variables), ...replaced]) vi.stubEnv(variable, value);
      try {
        const module: unknown = await import(pathToFileURL(join(folder, name, 'index.mjs')).href);
        return await Bundle.parse(module).handler(event, contextOf(remainingMs));
      } catch (error) {
        return error;
      } finally {
        needed.set(name, new Set([...(needed.get(name) ?? []), ...aws.requests.splice(0).flatMap(permissionsFor)]));
      }
    },
  };
}

function onAws(url: string) {
  return {
    // The receiver of results is on this machine.
    SEGUE_ALLOW_LOOPBACK_EVENTS: '1',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'nobody',
    AWS_SECRET_ACCESS_KEY: 'nothing',
    AWS_ENDPOINT_URL: url,
    AWS_ENDPOINT_URL_DYNAMODB: url,
  };
}

type Operation = Parameters<typeof eventOf>[0];
export const Answer = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  isBase64Encoded: z.boolean(),
});

export interface Stack {
  readonly functions: Deployed;
  readonly aws: StackAws;
  /** The upstream service. Only an upstream stack uses it. */
  readonly upstream: Upstream;
  readonly service: ServiceName;
}

interface AskOptions extends EventOptions {
  readonly remainingMs?: number;
}

/** A stack with one company. */
export interface Doors extends Stack {
  readonly table: ListedStore;
  /** The company's credentials. */
  readonly basic: string;
  /** The authorizer's context without the version of the key. */
  readonly principal: Readonly<Record<string, string>>;
  /**
   * Calls an operation.
   * @returns its JSON
   * @throws if it has another status
   */
  ask(name: Operation, status: number, options?: AskOptions): Promise<unknown>;
  /**
   * Creates a project.
   * @returns its id
   */
  create(fields: JsonObject, headers?: EventOptions['headers']): Promise<number>;
}

export async function doorsOf(stack: Stack): Promise<Doors> {
  const { client, tableName, credentialsTable } = stack.aws.dynamoDb;
  const table = dynamoDbItems(tableName, client);
  const key = createApiKey();
  await companiesIn(dynamoDbItems(credentialsTable, client), Date.now).add('acme', key);
  const principal = { companyId: 'acme', keyId: key.keyId, scopes: 'create read update delete translate manage' };
  const authorizer = { ...principal, keyVersion: '1' };

  async function ask(name: Operation, status: number, { remainingMs, ...options }: AskOptions = {}): Promise<unknown> {
    const answer = await stack.functions.call(
      routeOf(name).function,
      eventOf(name, { authorizer, ...options }),
      remainingMs,
    );
    const read = readAnswer(Answer.parse(answer));
    if (read.status !== status) throw new Error(`${name} answered ${read.status}, not ${status}: ${read.text}`);
    return read.json;
  }

  return {
    ...stack,
    table,
    basic: `Basic ${Buffer.from(`acme:${key.apiKey}`).toString('base64')}`,
    principal,
    ask,
    create: async (fields, headers = {}) =>
      z.object({ id: z.number() }).parse(await ask('createProject', 201, { ...json(fields), headers })).id,
  };
}

/** Returns the header with an idempotency key. */
export const keyed = (value: string) => ({ 'Idempotency-Key': value });
export const json = (body: unknown) => ({ body: JSON.stringify(body) });

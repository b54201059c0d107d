import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { bundleAll, bundleFunction, LICENSES_FILE, SBOM_FILE } from '../../infra/bundle.ts';
import { functionsOf } from '../../infra/functions/catalogue.ts';
import { FUNCTION_OPTIONS, SERVICES, type ServiceName } from '../../infra/functions/function-spec.ts';
import { packagesOf } from '../../infra/sbom/bundled-package.ts';
import { ALLOWED_LICENSES } from '../../infra/sbom/licenses.ts';
import { CANARY_UNSET } from '../../lib/contract/canary.ts';
import { createApiKey } from '../../lib/credentials/api-key.ts';
import { companiesIn } from '../../lib/credentials/companies.ts';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import { SegueClient } from '../../packages/client/segue-client.ts';
import { DynamoDbStandIn } from '../support/aws/dynamodb.ts';
import { S3StandIn } from '../support/aws/s3.ts';
import { serveAws } from '../support/aws/server.ts';
import { startGateway } from '../support/gateway.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { importOnly, start } from './children.ts';
import { PARTS, START_KB } from './contents.ts';
import { FIRST_REQUESTS, LARGE_CREATION } from './first-requests.ts';

// Processes take seconds on a busy machine.
vi.setConfig({ testTimeout: MUCH_WORK_MS });

const folder = mkdtempSync(join(tmpdir(), 'segue-bundles-'));
const fileOf = (service: ServiceName, name: string) => join(folder, service, name, 'index.mjs');
const bundles = {
  upstream: await bundleAll(join(folder, 'upstream'), 'upstream'),
  hosted: await bundleAll(join(folder, 'hosted'), 'hosted'),
};
const Licensed = z.object({ license: z.optional(z.object({ id: z.string() })) });
/** The part of a software bill of materials that these tests read. */
const Sbom = z.object({
  components: z.array(z.object({ type: z.string(), purl: z.optional(z.string()), licenses: z.array(Licensed) })),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});
/** The tables of each service, with one company. */
const tables = SERVICES.map((service) => new DynamoDbStandIn(`${service}-table`, `${service}-credentials`));
for (const { credentialsTable, client } of tables) {
  await companiesIn(dynamoDbItems(credentialsTable, client), Date.now).add('acme', createApiKey());
}
const aws = await serveAws({
  tables: [...tables, new DynamoDbStandIn('deliveries')],
  buckets: [new S3StandIn('bucket')],
  secrets: {
    upstream: { companyId: 'acme', apiKey: 'not-a-real-key' },
    signing: { id: 'initial', secret: 'not-a-real-secret-but-just-as-long' },
    canary: { companyId: CANARY_UNSET, apiKey: 'generated' },
  },
});

afterAll(async () => {
  await aws[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const COMMON = {
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'nobody',
  AWS_SECRET_ACCESS_KEY: 'nothing',
  AWS_ENDPOINT_URL: aws.url,
  SEGUE_SIGNING_SECRET: 'signing',
  SEGUE_DELIVERIES_TABLE: 'deliveries',
  SEGUE_WEBHOOK_SECRETS: 'segue/webhooks/',
  SEGUE_FETCH_SECRETS: 'segue/fetches/',
  SEGUE_EVENT_SECRETS: 'segue/events/',
  SEGUE_MANIFESTS: 'manifests',
  SEGUE_EVENT_BUS: 'bus',
  SEGUE_CANARY: 'create',
  SEGUE_CANARY_URL: 'https://projects.example.com',
  SEGUE_CANARY_SECRET: 'canary',
  SEGUE_MAIL_FROM: 'segue@example.com',
  SEGUE_MAIL_DOMAINS: 'example.com',
  // The requests get their dates when this file is loaded, but are sent after the bundling.
  SEGUE_START_TOLERANCE_SECONDS: '86400',
};
const ENVIRONMENTS: Record<ServiceName, Readonly<Record<string, string>>> = {
  upstream: {
    ...COMMON,
    SEGUE_TABLE: 'upstream-table',
    SEGUE_CREDENTIALS_TABLE: 'upstream-credentials',
    SEGUE_UPSTREAM_URL: aws.url,
    SEGUE_UPSTREAM_SECRET: 'upstream',
  },
  hosted: {
    ...COMMON,
    SEGUE_TABLE: 'hosted-table',
    SEGUE_CREDENTIALS_TABLE: 'hosted-credentials',
    SEGUE_BUCKET: 'bucket',
    SEGUE_JOB_QUEUE: 'jobs',
  },
};

it.each<[ServiceName, string[]]>([
  ['upstream', ['DynamoDB_20120810.GetItem', 'secretsmanager.GetSecretValue']],
  ['hosted', ['DynamoDB_20120810.GetItem']],
])(
  'a function of the %s service calls AWS during its start, and starts if the calls are refused',
  async (service, targets) => {
    const refusing = await serveAws({});
    const environment = { ...ENVIRONMENTS[service], AWS_ENDPOINT_URL: refusing.url };
    const { unused } = await importOnly(fileOf(service, 'changeProjects'), environment);
    expect(unused).toEqual([]);
    await refusing[Symbol.asyncDispose]();
    expect(refusing.requests.map(({ target }) => target).sort()).toEqual(targets);
  },
);

describe.concurrent.each(SERVICES)('%s', (service) => {
  const requests = Map.groupBy(
    FIRST_REQUESTS.filter((request) => request[service] !== undefined),
    ({ name }) => name,
  );

  it.for([...requests])(
    '%s answers its first requests without modules that it does not use',
    async ([name, ofFunction], { expect }) => {
      const events = ofFunction.map(({ event }) => event);
      const outcomes = ofFunction.map((request) => request[service]);
      const started = await start(fileOf(service, name), events, ENVIRONMENTS[service]);
      expect(started).toEqual({ outcomes, unused: [] });
    },
  );

  it('tests every function', ({ expect }) => {
    const names = functionsOf(service, FUNCTION_OPTIONS).map(({ name }) => name);
    expect([...requests.keys()].sort()).toEqual(names.sort());
  });
});

it.each(['new Headers();', "import 'node:worker_threads';", "import { diff } from 'node:util'; diff('', '');"])(
  'detects what `%s` loads',
  async (code) => {
    const file = join(folder, 'unused.mjs');
    writeFileSync(file, code);
    expect((await start(file, [], {})).unused).not.toEqual([]);
  },
);

describe('the client of S3', () => {
  it('loads with the first payload that is too large for the table', async () => {
    const file = fileOf('hosted', 'changeProjects');
    const { SEGUE_BUCKET: _, ...withoutBucket } = ENVIRONMENTS.hosted;
    expect((await start(file, [LARGE_CREATION], ENVIRONMENTS.hosted)).outcomes).toEqual([201]);
    expect((await start(file, [LARGE_CREATION], withoutBucket)).outcomes).toEqual([500]);
  });

  it('loads at the start of functions that always use it, and of no other', () => {
    const loading = [...bundles.hosted].filter(([, files]) =>
      files.some(({ isForStart, sources }) => isForStart && sources.some((file) => /client-s3/.test(file))),
    );
    expect(loading.map(([name]) => name)).toEqual(['prepareBulk', 'bulkLine', 'sweeper']);
  });
});

describe('the compiler of schemas', () => {
  it('loads at the start of no function', () => {
    const atStart = [...bundles.upstream, ...bundles.hosted].flatMap(([name, files]) =>
      files.some(({ isForStart, sources }) => isForStart && sources.some((file) => /compile\b/.test(file)))
        ? [name]
        : [],
    );
    expect(atStart).toEqual([]);
  });

  it('compiles the schemas of the bundle that loads it', async () => {
    const outdir = join(folder, 'compiler');
    await bundleFunction('lib/contract/compile.ts', { service: 'hosted', outdir });
    const { compile } = await import(pathToFileURL(join(outdir, 'index.mjs')).href);
    const schema = z.object({ name: z.string() });
    const compiled = compile(schema);
    expect(compiled).not.toBe(schema);
    expect(compiled.parse({ name: 'a', other: 1 })).toEqual({ name: 'a' });
    expect(compiled.safeParse({ name: 1 }).error.issues).toEqual(schema.safeParse({ name: 1 }).error?.issues);
  });
});

describe.each(SERVICES)('the bundles of the %s service', (service) => {
  it.each([...bundles[service].keys()])('start %s from one file', (name) => {
    const atStart = (bundles[service].get(name) ?? []).filter(({ isForStart }) => isForStart);
    expect(atStart.map((file) => file.name)).toEqual(['index.mjs']);
  });

  it.each(Object.entries(START_KB))('read little at the start of %s', (name, most) => {
    const files = [...bundles[service]].find(([bundled]) => bundled === name)?.[1] ?? [];
    const atStart = files.filter(({ isForStart }) => isForStart).map(({ contents }) => contents.length);
    expect(atStart.length).toBeGreaterThan(0);
    expect(atStart.reduce((sum, bytes) => sum + bytes) / 1_000).toBeLessThanOrEqual(most[service]);
  });

  it.each(PARTS)('contain $part only if they use it', ({ files, ...users }) => {
    const containing = [...bundles[service]].filter(([, bundled]) =>
      bundled.some(({ sources }) => sources.some((file) => files.test(file))),
    );
    expect(containing.map(([name]) => name).sort()).toEqual([...users[service]].sort());
  });
});

describe.each(SERVICES)('the materials of the %s service', (service) => {
  const sbom = Sbom.parse(JSON.parse(readFileSync(join(folder, service, SBOM_FILE), 'utf8')));
  const licenses = readFileSync(join(folder, service, LICENSES_FILE), 'utf8');
  const libraries = sbom.components.filter(({ type }) => type === 'library');

  it.each([...bundles[service]])('list exactly the packages in %s', (name, files) => {
    const sources = files.flatMap((file) => file.sources);
    const found = sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []);
    const built = [
      ...(sources.includes('dist/viewer/viewer.json') ? ['@scalar/api-reference'] : []),
      ...(sources.includes('dist/console.json')
        ? packagesOf(['dist/console.json'], join(import.meta.dirname, '../..')).map(({ name }) => name)
        : []),
    ];
    const { dependsOn = [] } = sbom.dependencies.find(({ ref }) => ref.endsWith(`/${name}`)) ?? {};
    const listed = dependsOn.map((purl) => decodeURIComponent(purl).replace(/^pkg:npm\/(.+)@[^@]+$/, '$1'));
    expect(listed.toSorted()).toEqual([...new Set([...found, ...built])].sort());
  });

  it('have a licence of the list and a notice for each package', () => {
    expect(libraries.length).toBeGreaterThan(20);
    for (const { purl = '', licenses: of } of libraries) {
      for (const { license } of of) expect(ALLOWED_LICENSES).toContain(license?.id);
      expect(licenses).toContain(`${decodeURIComponent(purl).slice('pkg:npm/'.length)} (`);
    }
    const withoutFile = [...licenses.matchAll(/^(.+) by .*has no licence file/gm)].map(([, name]) => name);
    // The text of their licence is there, from other packages.
    const ofAws = ['credential-provider-http', 'credential-provider-login', 'nested-clients'];
    expect(withoutFile.sort()).toEqual([
      ...ofAws.map((name) => `@aws-sdk/${name}`),
      '@middy/core',
      '@scalar/api-reference',
      'saxes',
    ]);
  });
});

it('the canary creates a project in a Segue, and deletes it', async () => {
  const gateway = await startGateway();
  const { companyId, apiKey } = gateway;
  const secrets = await serveAws({ secrets: { canary: { companyId, apiKey } } });
  const environment = { ...ENVIRONMENTS.hosted, AWS_ENDPOINT_URL: secrets.url, SEGUE_CANARY_URL: gateway.url };
  const { outcomes } = await start(fileOf('hosted', 'canary'), [{}], environment, 240_000);
  const { events } = await new SegueClient({ baseUrl: gateway.url, companyId, apiKey }).listEvents();
  await gateway.stop();
  await secrets[Symbol.asyncDispose]();
  expect(outcomes).toEqual(['done']);
  expect(events.map(({ type }) => type)).toEqual(['project.created', 'project.deleted']);
});

it('bundles the same input to the same bytes', async () => {
  const again = await bundleFunction('functions/changeProjects.ts', { service: 'hosted' });
  expect(again).toEqual(bundles.hosted.get('changeProjects'));
});

it('empties the folder of an older bundle', async () => {
  const outdir = join(folder, 'again');
  await bundleFunction('functions/changeProjects.ts', { service: 'hosted', outdir });
  const files = await bundleFunction('functions/pages.ts', { service: 'hosted', outdir });
  expect(readdirSync(outdir).sort()).toEqual(files.map(({ name }) => name).sort());
});

it('a translation engine is in a file of its own in a bundle, which does not load at the start', async () => {
  const files = await bundleFunction('functions/compose/translation.ts', { service: 'hosted' });
  const atStart = files.filter(({ isForStart }) => isForStart).flatMap(({ sources }) => sources);
  expect(atStart.filter((source) => /hosted\/translation|client-translate|htmlparser2|formatjs/.test(source))).toEqual(
    [],
  );
  const later = files.flatMap(({ sources }) => sources);
  for (const engine of ['pseudo', 'apertium', 'libretranslate', 'deepl']) {
    expect(later).toContain(`lib/hosted/translation/engines/${engine}.ts`);
  }
  expect(later).toContain('lib/aws/amazon-translate.ts');
});

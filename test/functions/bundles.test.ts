import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type Bundle, bundleAll, bundleFunction } from '../../infra/bundle.ts';
import { functionsOf, type ServiceName } from '../../infra/functions/catalogue.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { serveAws } from './aws.ts';
import { start, startUndici } from './children.ts';
import { PARTS } from './contents.ts';
import { FIRST_REQUESTS, LARGE_CREATION } from './first-requests.ts';

// processes and syntheses take seconds where every core is busy
vi.setConfig({ testTimeout: MUCH_WORK_MS });

const folder = mkdtempSync(join(tmpdir(), 'segue-bundles-'));

const upstream = await bundleAll(join(folder, 'upstream'), 'upstream');
const hosted = await bundleAll(join(folder, 'hosted'), 'hosted');
const aws = await serveAws({
  upstream: { companyId: 'acme', apiKey: 'not-a-real-key' },
  signing: { id: 'initial', secret: 'not-a-real-secret-but-just-as-long' },
});

afterAll(async () => {
  await aws[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const onAws = {
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'nobody',
  AWS_SECRET_ACCESS_KEY: 'nothing',
  AWS_ENDPOINT_URL: aws.url,
  SEGUE_SIGNING_SECRET: 'signing',
  SEGUE_TABLE: 'table',
  SEGUE_DELIVERIES_TABLE: 'deliveries',
  SEGUE_WEBHOOK_SECRETS: 'segue/webhooks/',
  SEGUE_MANIFESTS: 'manifests',
};
/** The requests are written when this file is loaded, and sent when everything is bundled. */
const anyStart = { SEGUE_START_TOLERANCE_SECONDS: '86400' };
const ENVIRONMENTS: Record<ServiceName, Readonly<Record<string, string>>> = {
  upstream: {
    ...anyStart,
    ...onAws,
    SEGUE_UPSTREAM_URL: aws.url,
    SEGUE_UPSTREAM_SECRET: 'upstream',
    SEGUE_EVENT_BUS: 'bus',
  },
  hosted: { ...anyStart, ...onAws, SEGUE_BUCKET: 'bucket', SEGUE_EVENT_BUS: 'bus' },
};

describe.concurrent.each<[string, ServiceName]>([
  ['on AWS, in front of another service', 'upstream'],
  ['on AWS, as the service itself', 'hosted'],
])('%s', (_, composition) => {
  const requests = FIRST_REQUESTS.filter((request) => request[composition] !== undefined);

  it.for(requests)(
    '$name starts with $operation and answers first without undici',
    async ({ name, event, ...outcomes }, { expect }) => {
      const file = join(folder, composition, name, 'index.mjs');
      const started = await start(file, event, ENVIRONMENTS[composition]);
      expect(started).toEqual({ exports: ['handler'], outcome: outcomes[composition], undici: [] });
    },
  );

  it('tries every function', ({ expect }) => {
    const names = functionsOf(composition).map(({ name }) => name);
    expect([...new Set(requests.map(({ name }) => name))].sort()).toEqual(names.sort());
  });
});

describe('the bucket’s client', () => {
  it('is read with the first payload that the table cannot hold, and answers', async () => {
    const file = join(folder, 'hosted', 'changeProjects', 'index.mjs');
    const { SEGUE_BUCKET: _, ...bucketLess } = ENVIRONMENTS.hosted;
    expect((await start(file, LARGE_CREATION, ENVIRONMENTS.hosted)).outcome).toBe(201);
    expect((await start(file, LARGE_CREATION, bucketLess)).outcome).toBe(500);
  });

  it('is no part of a start but of those that do nothing without it', () => {
    const holding = [...hosted].filter(([, bundle]) => filesAtStart(bundle).some((file) => /client-s3/.test(file)));
    expect(holding.map(([name]) => name)).toEqual(['prepareBulk', 'bulkLine', 'sweeper']);
  });
});

it('would notice undici', async () => {
  expect((await startUndici()).undici).not.toEqual([]);
});

describe.each(PARTS)('$part', ({ files, ...holders }) => {
  it.each([
    ['in front of another service', upstream, holders.upstream],
    ['as the service on AWS', hosted, holders.hosted],
  ] as const)('%s is only where it is used', (_, bundles, expected) => {
    const holding = [...bundles].filter(([, bundle]) => filesOf(bundle).some((file) => files.test(file)));
    expect(holding.map(([name]) => name).sort()).toEqual([...expected].sort());
  });
});

it('makes the same bytes of the same input', async () => {
  const again = await bundleFunction('functions/changeProjects.ts', { service: 'hosted' });
  const { code, chunks } = hosted.get('changeProjects') ?? {};
  expect(again.code).toEqual(code);
  expect(again.chunks).toEqual(chunks);
});

it('leaves nothing of an older bundle in its folder', async () => {
  const outdir = join(folder, 'again');
  await bundleFunction('functions/changeProjects.ts', { service: 'hosted', outdir });
  const { chunks } = await bundleFunction('functions/pages.ts', { service: 'hosted', outdir });
  expect(readdirSync(outdir).sort()).toEqual(['index.mjs', ...chunks.map(({ name }) => name)].sort());
});

/** The source files of which a bundle holds at least a byte. */
function filesOf({ parts }: Bundle): string[] {
  return Object.values(parts).flatMap(sourcesOf);
}

/** The source files of what a start reads. */
function filesAtStart({ parts, chunks }: Bundle): string[] {
  const later = chunks.filter(({ isForStart }) => !isForStart).map(({ name }) => name);
  const files = Object.entries(parts).filter(([name]) => !later.includes(name));
  return files.flatMap(([, sources]) => sourcesOf(sources));
}

function sourcesOf(sources: Readonly<Record<string, number>>): string[] {
  return Object.entries(sources).flatMap(([path, bytes]) => (bytes > 0 ? [path] : []));
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type Bundle, bundleAll, bundleFunction, FUNCTIONS } from '../../infra/bundle.ts';
import { start, startUndici } from './children.ts';
import { PARTS } from './contents.ts';
import { FIRST_REQUESTS } from './first-requests.ts';
import { serveSecrets } from './secrets-manager.ts';

// processes and syntheses take seconds where every core is busy
vi.setConfig({ testTimeout: 60_000 });

const folder = mkdtempSync(join(tmpdir(), 'segue-bundles-'));
const aws = await bundleAll(join(folder, 'aws'), { service: 'upstream', platform: 'aws', metafile: true });
const local = await bundleAll(join(folder, 'local'), { service: 'hosted', platform: 'local', metafile: true });
const surroundings = await serveSecrets({
  upstream: { companyId: 'acme', apiKey: 'not-a-real-key' },
  signing: { id: 'initial', secret: 'not-a-real-secret-but-just-as-long' },
});

afterAll(async () => {
  await surroundings[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

describe.concurrent('on AWS, in front of another service', () => {
  const environment = {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'nobody',
    AWS_SECRET_ACCESS_KEY: 'nothing',
    AWS_ENDPOINT_URL: surroundings.url,
    SEGUE_UPSTREAM_URL: surroundings.url,
    SEGUE_UPSTREAM_SECRET: 'upstream',
    SEGUE_SIGNING_SECRET: 'signing',
    SEGUE_TABLE: 'keys',
  };

  it.for(FIRST_REQUESTS)(
    '$name starts and answers first without undici',
    async ({ name, event, ...outcomes }, { expect }) => {
      const started = await start(join(folder, 'aws', name, 'index.mjs'), event, environment);
      expect(started).toEqual({ exports: ['handler'], outcome: outcomes.aws, undici: [] });
    },
  );
});

describe.concurrent('on one machine, as the service itself', () => {
  const environment = { SEGUE_COMPANY_ID: 'sandbox', SEGUE_API_KEY: 'not-a-real-api-key' };

  it.for(FIRST_REQUESTS)(
    '$name starts and answers first without undici',
    async ({ name, event, ...outcomes }, { expect }) => {
      const data = { SEGUE_DATA_DIR: join(folder, 'data', name) };
      const started = await start(join(folder, 'local', name, 'index.mjs'), event, { ...environment, ...data });
      expect(started).toEqual({ exports: ['handler'], outcome: outcomes.local, undici: [] });
    },
  );
});

it('tries every function', () => {
  expect(FIRST_REQUESTS.map(({ name }) => name).sort()).toEqual(FUNCTIONS.map(({ name }) => name).sort());
});

it('would notice undici', async () => {
  expect((await startUndici()).undici).not.toEqual([]);
});

describe.each(PARTS)('$part', ({ files, ...holders }) => {
  it.each([
    ['on AWS', aws, holders.aws],
    ['on one machine', local, holders.local],
  ] as const)('%s is only where it is used', (_, bundles, expected) => {
    const holding = [...bundles].filter(([, bundle]) => filesOf(bundle).some((file) => files.test(file)));
    expect(holding.map(([name]) => name).sort()).toEqual([...expected].sort());
  });
});

it('makes the same bytes of the same input', async () => {
  const again = await bundleFunction('functions/authorizer.ts', { service: 'upstream', platform: 'aws' });
  expect(again.code).toEqual(aws.get('authorizer')?.code);
});

/** The source files of which a bundle holds at least a byte. */
function filesOf({ metafile }: Bundle): string[] {
  const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.entries(output.inputs));
  return inputs.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []));
}

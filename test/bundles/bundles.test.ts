import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Bundle, bundleAll, bundleFunction, FUNCTIONS } from '../../infra/bundle.ts';
import { load, loadUndici } from './children.ts';
import { PARTS } from './contents.ts';
import { serveSecrets } from './secrets-manager.ts';

const folder = mkdtempSync(join(tmpdir(), 'segue-bundles-'));
const aws = await bundleAll(join(folder, 'aws'), { service: 'upstream', platform: 'aws', metafile: true });
const local = await bundleAll(join(folder, 'local'), { service: 'hosted', platform: 'local', metafile: true });
const secretsManager = await serveSecrets({
  upstream: { companyId: 'acme', apiKey: 'not-a-real-key' },
  signing: { id: 'initial', secret: 'not-a-real-secret-but-just-as-long' },
});

afterAll(async () => {
  await secretsManager[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

describe.concurrent('on AWS, in front of another service', () => {
  const environment = {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'nobody',
    AWS_SECRET_ACCESS_KEY: 'nothing',
    AWS_ENDPOINT_URL: secretsManager.url,
    SEGUE_UPSTREAM_URL: 'https://projects.example.com',
    SEGUE_UPSTREAM_SECRET: 'upstream',
    SEGUE_SIGNING_SECRET: 'signing',
    SEGUE_TABLE: 'keys',
  };

  it.for(FUNCTIONS)('$name starts without undici', async ({ name }, { expect }) => {
    const loaded = await load(join(folder, 'aws', name, 'index.mjs'), environment);
    expect(loaded).toEqual({ exports: ['handler'], undici: [] });
  });
});

describe.concurrent('on one machine, as the service itself', () => {
  const environment = { SEGUE_COMPANY_ID: 'sandbox', SEGUE_API_KEY: 'not-a-real-api-key' };

  it.for(FUNCTIONS.filter(({ kind }) => kind === 'http'))(
    '$name starts without undici',
    async ({ name }, { expect }) => {
      const data = { SEGUE_DATA_DIR: join(folder, 'data', name) };
      const loaded = await load(join(folder, 'local', name, 'index.mjs'), { ...environment, ...data });
      expect(loaded).toEqual({ exports: ['handler'], undici: [] });
    },
  );
});

it('would notice undici', async () => {
  expect((await loadUndici()).undici).not.toEqual([]);
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

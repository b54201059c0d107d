import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleFunction } from '../infra/bundle.ts';
import { functionsOf } from '../infra/functions/catalogue.ts';
import { SERVICES } from '../infra/functions/function-spec.ts';
import { openStandIns } from './cold-start/stand-ins.ts';
import { temporaryFolder } from './support/floor.ts';
import { importTimeMs } from './support/import-time.ts';
import { interleave } from './support/statistics.ts';
import { markdownTable } from './support/table.ts';

const ROUNDS = { rounds: 11, warmUp: 1 };

/** Measures the size and import time of each function's bundle, beside a handler that does nothing. */
export async function bundles(): Promise<string> {
  using folder = temporaryFolder();
  await using aws = await openStandIns();
  const environment = environmentOf(aws.address);
  const emptyFile = await write(join(folder.path, 'empty'), 'export const handler = async () => {};\n');
  const empty = () => importTimeMs(emptyFile, environment);

  const rows: string[][] = [];
  for (const { name, entry } of functionsOf('hosted').filter(({ access }) => access.upstream !== undefined)) {
    const variants = await Promise.all(
      SERVICES.map(async (service) => {
        const outdir = join(folder.path, name, service);
        const files = await bundleFunction(entry, { service, outdir });
        const bytes = files.reduce((sum, { contents, isForStart }) => sum + (isForStart ? contents.length : 0), 0);
        return { bytes, load: () => importTimeMs(join(outdir, 'index.mjs'), environment) };
      }),
    );
    const medianOf = await interleave([empty, ...variants.map(({ load }) => load)], ROUNDS);
    const cells = variants.flatMap(({ bytes, load }) => [kilobytes(bytes), milliseconds(medianOf(load))]);
    rows.push([name, milliseconds(medianOf(empty)), ...cells]);
  }
  const header = ['function', 'empty handler', ...SERVICES.flatMap((service) => [service, 'import'])];
  return markdownTable(header, rows);
}

/** Returns the environment variables that the functions of both services read. */
function environmentOf(awsAddress: string): Record<string, string> {
  return {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'nobody',
    AWS_SECRET_ACCESS_KEY: 'nothing',
    AWS_ENDPOINT_URL: `http://${awsAddress}`,
    SEGUE_UPSTREAM_URL: 'https://projects.example.com',
    SEGUE_UPSTREAM_SECRET: 'upstream',
    SEGUE_SIGNING_SECRET: 'signing',
    SEGUE_TABLE: 'table',
    SEGUE_CREDENTIALS_TABLE: 'credentials',
    SEGUE_DELIVERIES_TABLE: 'deliveries',
    SEGUE_WEBHOOK_SECRETS: 'segue/webhooks/',
    SEGUE_FETCH_SECRETS: 'segue/fetches/',
    SEGUE_BUCKET: 'bucket',
    SEGUE_EVENT_BUS: 'bus',
    SEGUE_MANIFESTS: 'manifests',
  };
}

async function write(folder: string, code: string | Uint8Array): Promise<string> {
  const file = join(folder, 'index.mjs');
  await mkdir(folder, { recursive: true });
  await writeFile(file, code);
  return file;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(1)} ms`;
}

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StartedGateway, startGateway } from '../support/gateway.ts';

const ROOT = join(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const HTTP = readFileSync(join(ROOT, 'docs/http.md'), 'utf8');

/** The fenced blocks of a language, in the order of the page. */
function blocks(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);
}

let gateway: StartedGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

async function sh(script: string, variables: Readonly<Record<string, string>> = {}): Promise<string> {
  const env = {
    ...process.env,
    PATH: `${process.env['PATH']}:${join(ROOT, 'test/support/bin')}`,
    SEGUE_URL: gateway.url,
    SEGUE_COMPANY_ID: gateway.companyId,
    SEGUE_API_KEY: gateway.apiKey,
    ...variables,
  };
  return (await promisify(execFile)('sh', ['-c', script], { env })).stdout;
}

/** Ids and moments are of the day, everything else must be as the page has it. */
function timeless(json: string): unknown {
  return JSON.parse(json, (key, value: unknown) =>
    key === 'id' || key === 'projectId' || /Date|AtUtc/.test(key) ? typeof value : value,
  );
}

describe('README', () => {
  it('shows the answer that its first request gets, and deletes what it made', async () => {
    const [, , create = '', remove = ''] = blocks(README, 'sh');
    const [shown = ''] = blocks(README, 'json');
    expect(timeless(await sh(create))).toEqual(timeless(shown));

    const [receipt = ''] = blocks(HTTP, 'json').filter((text) => text.includes('removed'));
    expect(timeless(await sh(remove))).toEqual(timeless(receipt));
  });
});

describe('docs/http.md', () => {
  it('obtains tokens as it shows, and refreshes them', async () => {
    const [obtain = '', refresh = ''] = blocks(HTTP, 'sh');
    const pair = { AccessToken: expect.any(String), RefreshToken: expect.any(String), expiresIn: 1800 };
    const first = JSON.parse(await sh(obtain));
    expect(first).toEqual(pair);
    const second = JSON.parse(await sh(refresh, { REFRESH_TOKEN: first.RefreshToken }));
    expect(second).toEqual(pair);
    expect(second.RefreshToken).not.toBe(first.RefreshToken);
  });
});

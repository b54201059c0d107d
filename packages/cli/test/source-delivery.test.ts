import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SchemeSettings } from '../../../lib/signatures/stored-scheme.ts';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { creation } from '../../../test/lib/webhooks/world.ts';
import { type StartedGateway, startGateway } from '../../../test/support/gateway.ts';
import { addCompany, type Ended, segueHere } from '../../../test/support/segue.ts';
import { senderOf } from '../../../test/support/senders.ts';
import { addSource } from '../../../test/support/sources.ts';

let gateway: StartedGateway;
beforeAll(async () => {
  // `npm start` creates the company, because it runs with its id.
  gateway = await startGateway({ env: { SEGUE_COMPANY_ID: 'acme' } });
});
afterAll(() => gateway.stop());

const GITHUB = senderOf('github');
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded', 'X-GitHub-Event': 'push' };

function sampleFile(sample: unknown): string {
  const path = join(temporaryFolder(), 'message.json');
  writeFileSync(path, JSON.stringify(sample));
  return path;
}

async function add(name: string, { settings: scheme, secret } = GITHUB, mapping = 'body'): Promise<void> {
  const sample = JSON.stringify({ headers: FORM, body: creation() });
  const source = { name, companyId: gateway.companyId, scheme, secret, mapping, sample };
  expect(await addSource(gateway.dataDir, source)).toMatchObject({
    code: 0,
    stdout: expect.not.stringContaining('Secret'),
  });
}

const send = (name: string, sample: unknown, url = gateway.url) =>
  segueHere(gateway.dataDir, 'source', 'send', name, '--sample', sampleFile(sample), '--url', url);

/** Returns the delivery that a command printed. */
function deliveryOf({ stdout, stderr }: Ended): string {
  const id = /^Delivery: (\S+)$/m.exec(stdout)?.[1];
  if (id === undefined) throw new Error(`No delivery was printed: ${stderr}`);
  return id;
}

/** Returns the result that a command printed. */
function resultOf({ stdout, stderr }: Ended): unknown {
  const [, json] = stdout.split('Result: ');
  if (json === undefined) throw new Error(`No result was printed: ${stderr}`);
  return JSON.parse(json);
}

describe('segue source send', () => {
  it.each<[string, SchemeSettings, string | undefined]>([
    ['contentful', { name: 'contentful' }, undefined],
    ['hygraph', { name: 'hygraph' }, undefined],
    ['zendesk', { name: 'zendesk' }, undefined],
    ['token-header', { name: 'token', header: 'authorization', prefix: 'Bearer ' }, undefined],
    ['token-basic', { name: 'token', basic: 'cms' }, undefined],
    ['token-query', { name: 'token', query: 'token' }, 'CANARY-&=?#+%-0123456789'],
    [
      'template',
      {
        name: 'template',
        template: '{method} {path} {header:x-topic} {id}.{timestamp}.{body}',
        signature: 'x-signature#v1',
        algorithm: 'sha512',
        encoding: 'base64url',
        timestamp: 'x-signature#t',
        timeUnit: 'iso',
        id: 'x-id',
        parts: 't; v1',
      },
      undefined,
    ],
  ])('signs as the scheme of %s says', async (name, scheme, secret = '0123456789abcdef'.repeat(4)) => {
    const sample = JSON.stringify({ headers: {}, body: creation() });
    const source = { name, companyId: gateway.companyId, scheme, secret, mapping: 'body', sample };
    expect(await addSource(gateway.dataDir, source)).toMatchObject({ code: 0 });
    const ended = await send(name, { headers: { 'X-Topic': 'page' }, body: creation({ customId: name }) });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(resultOf(ended)).toMatchObject({ state: 'done' });
    expect(JSON.stringify(ended) + gateway.stdout() + gateway.stderr()).not.toContain('CANARY');
  });

  it('signs with the newest secret of the source, and shows the result', async () => {
    const sender = senderOf('standard-webhooks, v1');
    await add('signed', sender);
    const ended = await send('signed', creation({ customId: 'signed' }));
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^202 from \S+\/webhooks\/signed: received\nDelivery: [\w-]{43}\nResult: \{/);
    const result = resultOf(ended);
    const shown = await segueHere(gateway.dataDir, 'source', 'delivery', 'signed', deliveryOf(ended));
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(shown.stdout)).toEqual({ source: 'signed', id: deliveryOf(ended), ...Object(result) });
    expect(result).toMatchObject({ state: 'done', attempts: 1, result: { projectId: expect.any(Number) } });
    expect(ended.stdout).not.toContain(sender.secret);
  });

  it.each<[string, object]>([
    ['as JSON', { 'X-GitHub-Event': 'push' }],
    ['as a form', FORM],
  ])('sends the headers of a sample, %s', async (as, headers) => {
    const name = `headers-${Object.keys(headers).length}`;
    await add(name, GITHUB, 'headers."x-github-event" = "push" ? body');
    const ended = await send(name, { headers: { ...headers, Host: 'elsewhere' }, body: creation({ customId: as }) });
    expect(resultOf(ended)).toMatchObject({ state: 'done', result: { segments: 1 } });
  });

  it('sends a form as it is written', async () => {
    await add('plain', GITHUB, 'body.text ? { "delete": { "scope": "project", "customId": body.text } }');
    const ended = await send('plain', { headers: FORM, body: 'token=abc&text=a+page' });
    expect(resultOf(ended)).toMatchObject({ result: { outcome: 'already-absent' } });
  });

  it('reports a message that was received before, and shows a dead letter', async () => {
    await add('again');
    const [first, second] = [await send('again', { create: {} }), await send('again', { create: {} })];
    expect(first).toMatchObject({ code: 1, stderr: 'segue: the message became a dead letter\n' });
    expect(resultOf(first)).toMatchObject({ state: 'dead', problem: 'invalid-project' });
    expect(second.stdout).toContain('was received before');
    expect(deliveryOf(second)).toBe(deliveryOf(first));
  });

  it.each<[string, () => Promise<Ended>, RegExp, code?: 1 | 2]>([
    ['nothing listens', () => send('errors', {}, 'http://127.0.0.1:9'), /cannot be reached|nothing listens at http:/],
    [
      'the URL is of another machine, in the clear',
      () => send('errors', {}, 'http://example.com'),
      /the URL of the gateway must be an https URL/,
      2,
    ],
    [
      'a header cannot be sent',
      () => send('errors', { headers: { 'a b': '1' }, body: 1 }),
      /header that cannot be sent: "a b"$/m,
      2,
    ],
    [
      'no delivery has the id',
      () => segueHere(gateway.dataDir, 'source', 'delivery', 'errors', 'x'),
      /no delivery with.* segue source send; .* run: npx --no-install segue dead-letters list\n$/,
    ],
  ])('prints one line if %s', async (_, run, line, exitCode = 1) => {
    if (!(await segueHere(gateway.dataDir, 'source', 'list')).stdout.includes('errors')) await add('errors');
    const { code, stdout, stderr } = await run();
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toMatch(/^segue: [^\n]+\n$/);
    expect(stderr).toMatch(line);
    expect(stderr).not.toContain(GITHUB.secret);
  });

  it('names the port at which nothing listens', async () => {
    await add('closed');
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port }: AddressInfo = Object(server.address());
    await new Promise((resolve) => server.close(resolve));
    const { stderr } = await send('closed', {}, `http://127.0.0.1:${port}`);
    expect(stderr).toBe(
      `segue: nothing listens at http://127.0.0.1:${port}: start Segue with npm start, or name another gateway with --url\n`,
    );
  });

  it('reports that the gateway has another data folder, or that the URL is not a gateway', async () => {
    const folder = temporaryFolder();
    await addCompany(folder, 'acme');
    const source = { name: 'elsewhere', companyId: 'acme', scheme: { name: 'github' } } as const;
    await addSource(folder, source);
    const sendTo = async (url: string) =>
      (await segueHere(folder, 'source', 'send', 'elsewhere', '--sample', sampleFile({}), '--url', url)).stderr;
    expect(await sendTo(gateway.url)).toMatch(/answered 404 source-not-found: .+ same data folder as this command\n/);
    await add('elsewhere');
    expect(await sendTo(gateway.url)).toMatch(/answered 401 invalid-signature: .+ same data folder as this command\n/);
    expect(await sendTo(`${gateway.url}/health`)).toMatch(/answered 404 route-not-found\n/);
  });

  it('reports a secret that cannot be read, and a public key, which cannot sign', async () => {
    const folder = temporaryFolder();
    await addCompany(folder, 'acme');
    const source = { companyId: 'acme', scheme: { name: 'standard-webhooks' } } as const;
    await addSource(folder, { ...source, name: 'public', secret: senderOf('standard-webhooks, v1a').secret });
    const sendHere = () => segueHere(folder, 'source', 'send', 'public', '--sample', join(folder, 'sample.json'));
    expect((await sendHere()).stderr).toMatch(/only its sender can sign/);
    rmSync(join(folder, 'webhook-secrets'), { recursive: true });
    expect((await sendHere()).stderr).toBe('segue: the secret of the source cannot be read: ENOENT\n');
  });
});

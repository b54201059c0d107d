import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { addCompany, segueIn } from '../../../test/support/segue.ts';
import { SegueClient } from '../../client/segue-client.ts';
import { newProject } from '../../client/test/world.ts';
import { openGateway } from './world.ts';

/** Returns a gateway with a project, and commands of its company. */
async function world() {
  const folder = temporaryFolder();
  const { companyId, apiKey } = await addCompany(folder, 'acme');
  const { url } = await openGateway(folder);
  const client = new SegueClient({ baseUrl: url, companyId, apiKey });
  const { id } = await client.createProject({
    ...newProject,
    customId: 'cms/1',
    segments: [{ content: '<p>Hello</p>', customId: 'greeting', taskId: 'home' }, { content: 'Bye' }],
  });
  const env = { SEGUE_URL: url, SEGUE_COMPANY_ID: companyId, SEGUE_API_KEY: apiKey };
  const path = (name: string) => join(folder, name);
  return {
    id,
    path,
    segue: (...args: string[]) => segueIn(folder, { env }, ...args),
    text: (name: string) => readFileSync(path(name), 'utf8'),
    env,
  };
}

type SegmentAnswers = readonly { readonly translations: readonly object[] }[];

/** Opens a server in front of a gateway that changes the segments in its answers. @returns its URL */
async function gatewayWith(url: string, change: (segments: SegmentAnswers) => unknown): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = request.method === 'GET' ? undefined : await text(request);
    const headers = new Headers();
    for (const name of ['authorization', 'content-type', 'accept']) {
      const value = request.headers[name];
      if (typeof value === 'string') headers.set(name, value);
    }
    const answer = await fetch(`${url}${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      body: body ?? null,
    });
    const isSegments = answer.ok && /\/segments(?:\?|$)/.test(request.url ?? '');
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(isSegments ? JSON.stringify(change(JSON.parse(await answer.text()))) : await answer.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server does not listen');
  return `http://127.0.0.1:${address.port}`;
}

/** Returns what must stay the same when a file is replaced. */
const keptOf = (path: string) => {
  const { mode, uid, gid } = statSync(path);
  return { mode: mode & 0o777, uid, gid, isLink: lstatSync(path).isSymbolicLink() };
};

describe('segue export', () => {
  it('says which segments an engine could not translate, and what it lost', async () => {
    const { id, path, segue, env } = await world();
    const problems = [{ problem: 'placeholder-lost', lost: '%#@n@' }, { problem: 'too-long' }];
    env.SEGUE_URL = await gatewayWith(env.SEGUE_URL, (body) =>
      body.map((segment, index) => ({
        ...segment,
        translations: segment.translations.map((each) => ({ ...each, ...problems[index] })),
      })),
    );
    const args = ['export', String(id), '--language', 'de-DE', '--out'];
    const { stderr, code } = await segue(...args, path('a.po'));
    expect(code).toBe(0);
    expect(stderr.replace(/segment \d+/g, 'segment N').split('\n')).toEqual([
      'warning: placeholder-lost  In de-DE, segment N "greeting" has no automatic translation: the engine lost "%#@n@"',
      'warning: too-long  In de-DE, segment N has no automatic translation',
      '',
    ]);
    writeFileSync(path('a.json'), '{"greeting": "<p>Hello</p>", "b": "Bye"}');
    const filled = await segue(...args, path('b.json'), '--into', path('a.json'));
    expect(filled).toMatchObject({ code: 0, stderr });
  });

  it('writes a file in the format of its name', async () => {
    const { id, path, segue, text } = await world();
    const result = await segue('export', String(id), '--language', 'de', '--out', path('a.csv'));
    const stderr =
      'segue: nothing was exported: The project has no target language de. Its target languages are: de-DE.\n';
    expect(result).toEqual({ code: 2, stdout: '', stderr });
    expect(existsSync(path('a.csv'))).toBe(false);
    const args = ['export', String(id), '--language', 'DE_de', '--out'];
    expect(await segue(...args, path('a.csv'))).toMatchObject({ code: 0, stdout: `Wrote ${path('a.csv')}\n` });
    expect(text('a.csv')).toMatch(/^project,language,segment,/);
    await segue(...args, path('a.xlf'), '--format', 'xliff2', '--task', 'home', '--bom');
    expect(text('a.xlf')).toMatch(/^\ufeff<\?xml .*version="2.1".*Hello/s);
    expect(text('a.xlf')).not.toContain('Bye');
  });

  it('never replaces a file unasked', async () => {
    const { path, segue, text } = await world();
    writeFileSync(path('a.json'), 'mine');
    const args = ['export', 'cms/1', '--custom-id', '--language', 'de-DE', '--out', path('a.json')];
    expect(await segue(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining('add --overwrite') });
    expect(text('a.json')).toBe('mine');
    expect(await segue(...args, '--overwrite')).toMatchObject({ code: 0 });
    expect(JSON.parse(text('a.json'))).toMatchObject({ language: 'de-DE', segments: [{ customId: 'greeting' }, {}] });
  });

  it.each([
    ['0600', 0o600, 'a.po'],
    ['0644', 0o644, 'a.po'],
    ['0664', 0o664, 'a.po'],
    ['a symbolic link to another folder', 0o600, 'texts/a.po'],
    ['a symbolic link to a symbolic link', 0o640, 'texts/link.po'],
  ])('keeps the mode, the owner and the link of a file that it replaces: %s', async (_, mode, target) => {
    const { id, path, segue } = await world();
    const args = ['export', String(id), '--language', 'de-DE'];
    mkdirSync(path('texts'));
    const file = path(target.replace('link', 'real'));
    await segue(...args, '--out', file);
    chmodSync(file, mode);
    if (process.getuid?.() === 0) chownSync(file, 1_234, 2_345);
    if (target === 'texts/link.po') symlinkSync('real.po', path(target));
    if (target !== 'a.po') symlinkSync(target, path('a.po'));
    const before = keptOf(path('a.po'));
    const text = readFileSync(file, 'utf8');
    const names = readdirSync(path('texts'));
    for (const options of [
      ['--out', path('a.po'), '--overwrite'],
      ['--into', path('a.po')],
    ]) {
      writeFileSync(file, `# A comment.\n${text}`);
      expect(await segue(...args, ...options)).toMatchObject({ code: 0 });
      expect(keptOf(path('a.po'))).toEqual(before);
      expect(readFileSync(file, 'utf8')).toContain('msgid "Bye"');
      expect(readdirSync(path('texts'))).toEqual(names);
    }
  });

  it('creates the target of a symbolic link that has none', async () => {
    const { id, path, segue, text } = await world();
    symlinkSync('new.po', path('a.po'));
    const args = ['export', String(id), '--language', 'de-DE', '--out', path('a.po'), '--overwrite'];
    expect(await segue(...args)).toMatchObject({ code: 0 });
    expect(lstatSync(path('a.po')).isSymbolicLink()).toBe(true);
    expect(text('new.po')).toContain('msgid "Bye"');
  });

  it('writes to a device in place', async () => {
    const { id, path, segue } = await world();
    symlinkSync('/dev/null', path('null.po'));
    const args = ['export', String(id), '--language', 'de-DE', '--out', path('null.po'), '--overwrite'];
    expect(await segue(...args)).toMatchObject({ code: 0 });
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });
});

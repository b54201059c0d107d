import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { type StartedGateway, spawnStart, startGateway, textOf } from '../support/gateway.ts';
import { type HttpAnswer, type HttpRequest, send } from '../support/http.ts';
import { smallProject } from '../support/projects.ts';
import { requireNoOrphans } from './kills/store.ts';

describe('a start on a full disk', () => {
  /** Runs a start whose files can have only a number of blocks. */
  async function expectRefused(blocks: number, folder: string): Promise<void> {
    const child = spawnStart([], { SEGUE_DATA_DIR: folder, PORT: '0' }, `ulimit -S -f ${blocks}`);
    const stdout = textOf(child.stdout);
    const stderr = textOf(child.stderr);
    const [code] = await once(child, 'close');
    expect({ code, stdout: stdout() }).toEqual({ code: 1, stdout: '' });
    expect(stderr()).toMatch(/^segue: the data folder .+ cannot be used: .+\n$/);
  }

  it.each([0, 64])('ends with one line and exit code 1 after %i blocks', (blocks) =>
    expectRefused(blocks, temporaryFolder()),
  );

  it('leaves an existing store as it is', async () => {
    const env = { SEGUE_DATA_DIR: temporaryFolder() };
    const first = await startGateway({ env });
    expect((await create(first, 'before')).status).toBe(201);
    expect(await first.stop()).toBe(0);
    await expectRefused(0, env.SEGUE_DATA_DIR);
    const second = await startGateway({ env });
    expect((await ask(second, { method: 'GET', path: byCustomId('before') })).status).toBe(200);
    expect(await second.stop()).toBe(0);
  });
});

const byCustomId = (customId: string) => `/segments/projects/custom/${customId}`;

function ask({ url, authorization }: StartedGateway, request: HttpRequest): Promise<HttpAnswer> {
  return send(url, { ...request, headers: { ...request.headers, Authorization: authorization } });
}

const SEGMENTS = [{ content: 'one', taskId: 'task' }, { content: 'two' }];

function create(gateway: StartedGateway, customId: string, key?: string): Promise<HttpAnswer> {
  const headers = { 'Content-Type': 'application/json', ...(key && { 'Idempotency-Key': key }) };
  const body = JSON.stringify(smallProject({ customId, endDateUtc: '2099-01-01T00:00:00Z', segments: SEGMENTS }));
  return ask(gateway, { method: 'POST', path: '/segments/projects', headers, body });
}

function remove(gateway: StartedGateway, target: string, key?: string): Promise<HttpAnswer> {
  return ask(gateway, { method: 'DELETE', path: byCustomId(target), headers: key ? { 'Idempotency-Key': key } : {} });
}

/** Limits the length of a running process's files. */
function limitFiles({ process }: StartedGateway, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
}

// Other systems cannot limit a running process.
if (process.platform === 'linux') {
  describe('a gateway whose disk becomes full', () => {
    it('refuses changes as a whole, serves reads, and makes the changes once there is room', async () => {
      const folder = temporaryFolder();
      const gateway = await startGateway({ env: { SEGUE_DATA_DIR: folder } });
      const names = ['project', 'project-too', 'task', 'task-too'];
      for (const name of names) expect((await create(gateway, name)).status).toBe(201);
      const changes: [request: (key?: string) => Promise<HttpAnswer>, success: number, again: number][] = [
        [(key) => create(gateway, key ? 'new' : 'new-too', key && `create-${key}`), 201, 409],
        [(key) => remove(gateway, key ? 'project' : 'project-too', key && `delete-${key}`), 204, 404],
        [(key) => remove(gateway, `${key ? 'task' : 'task-too'}?taskId=task`, key && `task-${key}`), 204, 404],
      ];

      limitFiles(gateway, 0);
      for (const [request] of changes) {
        for (const key of ['key', undefined]) {
          const { status, headers, text } = await request(key);
          expect([status, headers['retry-after']]).toEqual([503, '5']);
          expect(JSON.parse(text)).toMatchObject({ retryable: true, outcome: 'not-applied' });
        }
      }
      const list = await ask(gateway, { method: 'GET', path: '/segments/projects' });
      expect(JSON.parse(list.text)).toHaveLength(names.length);
      for (const name of names) {
        const project = await ask(gateway, { method: 'GET', path: byCustomId(name) });
        expect(JSON.parse(project.text)).toMatchObject({ customId: name, segments: SEGMENTS });
      }
      expect((await ask(gateway, { method: 'POST', path: '/authentication/token' })).status).toBe(503);

      limitFiles(gateway, 'unlimited');
      for (const [request, success, again] of changes) {
        expect((await request('key')).status).toBe(success);
        const replayed = await request('key');
        expect([replayed.status, replayed.headers['idempotent-replayed']]).toEqual([success, 'true']);
        expect((await request()).status).toBe(success);
        expect((await request()).status).toBe(again);
      }
      expect(await gateway.stop()).toBe(0);
      requireNoOrphans(folder);
    });
  });
}

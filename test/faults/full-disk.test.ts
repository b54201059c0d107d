import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { EVENTUALLY } from '../support/eventually.ts';
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

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'serves reads of an existing store whose process had ended by %s',
    async (signal) => {
      const env = { SEGUE_DATA_DIR: temporaryFolder() };
      const first = await startGateway({ env });
      expect((await create(first, 'before')).status).toBe(201);
      first.process.kill(signal);
      await once(first.process, 'close');
      const second = await startGateway({ env, before: 'ulimit -S -f 0' });
      expect((await ask(second, { method: 'GET', path: byCustomId('before') })).status).toBe(200);
      expect((await ask(second, { method: 'POST', path: '/authentication/token' })).status).toBe(503);
      const refused = await remove(second, 'before');
      expect([refused.status, JSON.parse(refused.text)['outcome']]).toEqual([503, 'not-applied']);
      expect(refused.text).toContain('Segue’s disk is full: ');
      expect(await second.stop()).toBe(0);
      const third = await startGateway({ env });
      expect((await remove(third, 'before')).status).toBe(204);
      expect(await third.stop()).toBe(0);
    },
  );
});

const byCustomId = (customId: string) => `/segments/projects/custom/${customId.replaceAll(' ', '%20')}`;

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

    it('empties its log to make room', async () => {
      const folder = temporaryFolder();
      const gateway = await startGateway({ env: { SEGUE_DATA_DIR: folder } });
      const sizeOf = (name: string) => statSync(join(folder, name)).size;
      // The log is emptied once soon after the start, which may be between two of these changes.
      let count = 0;
      do expect((await create(gateway, `project ${count++}`)).status).toBe(201);
      while (sizeOf('segue.db-wal') <= sizeOf('segue.db') || count < 20);
      const log = sizeOf('segue.db-wal');
      limitFiles(gateway, log);
      while (count > 0) expect((await remove(gateway, `project ${--count}`)).status).toBe(204);
      expect(await gateway.stop()).toBe(0);
      requireNoOrphans(folder);
    });
  });
}

/** A file system of 48 MB at a folder, until the test ends; `undefined` if this user cannot mount one. */
function smallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'segue-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'segue', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
}

const disk = smallDisk();
if (disk !== undefined) {
  describe('a gateway on a small disk', () => {
    afterAll(() => {
      execFileSync('umount', ['--lazy', disk]);
      rmSync(disk, { recursive: true });
    });

    const env = { SEGUE_DATA_DIR: join(disk, 'data') };
    /** The content of a segment of 500 KB that cannot be compressed. */
    const content = () => randomBytes(250_000).toString('hex');
    const large = (customId: string) => {
      const segments = [{ content: content(), taskId: 'task' }, { content: content() }, { content: content() }];
      return JSON.stringify(smallProject({ customId, endDateUtc: '2099-01-01T00:00:00Z', segments }));
    };
    const post = async (gateway: StartedGateway, customId: string) => {
      const headers = { 'Content-Type': 'application/json' };
      return (await ask(gateway, { method: 'POST', path: '/segments/projects', headers, body: large(customId) }))
        .status;
    };

    it('frees space by deletions, also after a kill, and uses it again', async () => {
      const first = await startGateway({ env });
      await vi.waitFor(() => expect(readdirSync(env.SEGUE_DATA_DIR)).toContain('segue.reserve'), EVENTUALLY);
      let made = 0;
      while ((await post(first, `project ${made}`)) === 201) made += 1;
      first.process.kill('SIGKILL');
      await once(first.process, 'close');

      const second = await startGateway({ env });
      while ((await post(second, `project ${made}`)) === 201) made += 1;
      // Another program takes the rest.
      const { bavail, bsize } = statfsSync(disk);
      writeFileSync(join(disk, 'other'), Buffer.alloc(bavail * bsize));
      const list = await ask(second, { method: 'GET', path: '/segments/projects?limit=50' });
      expect(JSON.parse(list.text)).toHaveLength(made);
      expect((await ask(second, { method: 'POST', path: '/authentication/token' })).status).toBe(200);
      for (const key of ['key', undefined]) {
        expect((await remove(second, `project ${key ? 1 : 2}`, key)).status).toBe(204);
        expect((await remove(second, `project ${key ? 3 : 4}?taskId=task`, key && `task-${key}`)).status).toBe(204);
      }
      expect((await remove(second, 'project 1', 'key')).headers['idempotent-replayed']).toBe('true');
      expect((await remove(second, 'project 2')).status).toBe(404);
      for (let place = 5; place < 9; place++) expect((await remove(second, `project ${place}`)).status).toBe(204);
      await vi.waitFor(async () => expect(await post(second, 'again')).toBe(201), EVENTUALLY);
      expect(await second.stop()).toBe(0);
      requireNoOrphans(env.SEGUE_DATA_DIR);
    });
  });
}

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { manifestKey, manifestsInS3 } from '../../../../lib/workflow/bulk/manifests-in-s3.ts';
import { prepareBulkTask } from '../../../../lib/workflow/bulk/prepare-bulk.ts';
import { bulkLineTask } from '../../../../lib/workflow/bulk/run-line.ts';
import { S3StandIn } from '../../../support/aws/s3.ts';
import { hosted } from '../../../support/world.ts';
import { contextOf } from '../../http/fixture.ts';
import { project } from '../../support.ts';
import { failureOf, options } from '../world.ts';

const key = manifestKey('acme', 'a.jsonl');
const line = JSON.stringify({ create: project() });

/** Returns the tasks on a bucket with one manifest. */
function world(content: string, name = key) {
  const s3 = new S3StandIn();
  s3.write(name, Buffer.from(content));
  const manifests = manifestsInS3(s3.bucket, s3.newClient());
  const handler = prepareBulkTask(manifests, options);
  const carryOut = bulkLineTask(hosted(), manifests.open, options);
  const prepare = (object: object = { key: name }) => handler({ companyId: 'acme', object }, contextOf());
  const text = (wanted: string) => s3.versions.findLast((version) => version.key === wanted)?.bytes.toString();
  return { s3, handler, prepare, carryOut, text };
}

describe('the task that prepares a manifest', () => {
  it('returns its size and version, and writes the index of its entries', async () => {
    const content = `${line}\n\n{"delete":{}}\r\n`;
    const { prepare, text } = world(content);
    const sha256 = createHash('sha256').update(content).digest('hex');
    const prepared = await prepare();
    expect(prepared).toEqual({
      file: { key, etag: expect.any(String) },
      run: key,
      validateOnly: false,
      entries: 2,
      index: `index/acme/${sha256}.csv`,
    });
    expect(text(prepared.index)).toBe(
      `entry,line,offset,bytes,occurrence\n1,1,0,${line.length},1\n2,3,${line.length + 2},${'{"delete":{}}\r'.length},1\n`,
    );
  });

  it('finds the entries of a manifest that is larger than its index’s pieces', async () => {
    const count = 5_000;
    const { prepare, text } = world(`${'{}\n'.repeat(count)}`);
    const prepared = await prepare();
    expect(prepared.entries).toBe(count);
    const rows = text(prepared.index)?.trimEnd().split('\n') ?? [];
    expect([rows.length, rows.at(-1)]).toEqual([count + 1, `${count},${count},${3 * (count - 1)},2,${count}`]);
  });

  it.each<[string, string, object]>([
    ['another company’s', line, { key: manifestKey('other', 'a.jsonl') }],
    ['a beginning of its name', line, { key: 'manifests/acme2/a.jsonl' }],
    ['none that is there', line, { key: manifestKey('acme', 'none.jsonl') }],
    ['an empty one', '', { key }],
    ['a run without a name', line, { key, run: '' }],
    ['a format', line, { key, format: 'csv' }],
    ['no name', line, {}],
  ])('refuses %s', async (_, content, object) => {
    const { handler, s3 } = world(content);
    s3.write(manifestKey('other', 'a.jsonl'), Buffer.from(line));
    s3.write('manifests/acme2/a.jsonl', Buffer.from(line));
    const { name, cause } = await failureOf(handler, { companyId: 'acme', object });
    expect(name).toBe('Segue.Terminal.invalid-parameter');
    expect(cause.errors).toHaveLength(1);
  });

  it.each(['before', 'after'] as const)('may be retried if the bucket fails %s an effect', async (when) => {
    const { handler, s3, prepare } = world(line);
    s3.break(when, when, when);
    const { name } = await failureOf(handler, { companyId: 'acme', object: { key } });
    expect(name).toBe('Segue.Retryable.unavailable');
    expect(await prepare()).toMatchObject({ entries: 1 });
  });
});

describe('a line of a prepared manifest', () => {
  const entry = { entry: 1, line: 1, offset: 0, bytes: line.length, occurrence: 1 };

  it('runs, and may be as large as a body', async () => {
    const content = `${line}\n${JSON.stringify({ create: project({ segments: [{ content: 'a'.repeat(LIMITS.contentBytes) }] }) })}`;
    const { prepare, carryOut } = world(content);
    const { file, run } = await prepare();
    const second = {
      entry: 2,
      line: 2,
      offset: line.length + 1,
      bytes: content.length - line.length - 1,
      occurrence: 1,
    };
    for (const each of [entry, second]) {
      expect(await carryOut({ companyId: 'acme', file, run, entry: each }, contextOf())).toMatchObject({
        outcome: 'created',
        line: each.line,
      });
    }
  });

  it('fails if the object was replaced', async () => {
    const { s3, prepare, carryOut } = world(line);
    const { file, run } = await prepare();
    s3.write(key, Buffer.from(line));
    const result = await carryOut({ companyId: 'acme', file, run, entry }, contextOf());
    expect(result).toMatchObject({ outcome: 'failed', failure: 'Segue.Terminal.invalid-parameter', line: 1 });
    expect(JSON.stringify(result)).toContain('was changed');
  });

  it('of another company fails', async () => {
    const { prepare, carryOut } = world(line);
    const { file, run } = await prepare();
    expect(await carryOut({ companyId: 'other', file, run, entry }, contextOf())).toMatchObject({
      outcome: 'failed',
    });
    expect(await carryOut({ companyId: 'acme', run, entry }, contextOf())).toMatchObject({ outcome: 'failed' });
  });
});

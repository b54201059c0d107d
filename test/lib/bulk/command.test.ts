import { describe, expect, it } from 'vitest';
import { commandOf } from '../../../lib/bulk/command.ts';
import { entriesOf, scan } from '../../../lib/bulk/entries.ts';
import { type Format, formatOf, keyOf } from '../../../lib/bulk/manifest.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { problemOf } from '../support.ts';
import { fileOf } from './file.ts';

/** The command of each entry of a manifest, or the faults of what is none. */
async function commandsIn(content: string | Uint8Array, format: Format) {
  const file = fileOf(content, 1 << 16);
  const manifest = await scan(file, format, () => {});
  const found: unknown[] = [];
  for await (const entry of entriesOf(file, manifest)) {
    const read = () => commandOf(file, manifest, entry);
    const command = await read().catch(() => undefined);
    const faults = async () =>
      (await problemOf(read)).occurrence.errors?.map(({ pointer, code }) => `${pointer} ${code}`);
    found.push(command ?? (await faults()) ?? (await problemOf(read)).name);
  }
  return found;
}

const create = { name: 'A', segments: [{ content: 'a, "b"\nc' }] };
const cell = (value: unknown) => `"${JSON.stringify(value).replaceAll('"', '""')}"`;

describe('a command', () => {
  it.each<[Format, string]>([
    ['jsonl', `{"create":${JSON.stringify(create)}}\n{"delete":{"scope":"project","projectId":5}}`],
    ['json', JSON.stringify([{ create }, { delete: { scope: 'project', projectId: 5 } }], null, 2)],
    ['csv', `create,scope,projectId\n${cell(create)},,\n,project,5`],
  ])('is the same in %s', async (format, content) => {
    expect(await commandsIn(content, format)).toEqual([{ create }, { delete: { scope: 'project', projectId: 5 } }]);
  });

  it('in CSV has every field that its header names, and leaves out the empty ones', async () => {
    const content = 'taskId,scope,customId,projectId\nt,task,"a ""b"",\nc",\n,project,,17\nt,task,007,\n';
    expect(await commandsIn(content, 'csv')).toEqual([
      { delete: { scope: 'task', taskId: 't', customId: 'a "b",\nc' } },
      { delete: { scope: 'project', projectId: 17 } },
      { delete: { scope: 'task', taskId: 't', customId: '007' } },
    ]);
  });

  it.each<[string, Format, string | Uint8Array, string[]]>([
    [
      'a task that got lost never means the project',
      'csv',
      'scope,customId,taskId\ntask,x,\n',
      ['/delete/taskId required'],
    ],
    ['a cell too few', 'csv', 'scope,customId\nproject\n', [' too-few']],
    ['a cell too many', 'csv', 'scope,customId\nproject,x,\n', [' too-many']],
    ['a quote without an end', 'csv', 'scope,customId\nproject,"x\nproject,y\n', [' syntax']],
    ['a record that a carriage return alone ends', 'csv', 'scope,customId\nproject,x\rproject,y\n', [' syntax']],
    ['a quote within', 'csv', 'scope,customId\nproject,"x"y\n', [' syntax']],
    ['Latin-1', 'csv', Buffer.from('scope,customId\nproject,\xe4\n', 'latin1'), [' encoding']],
    ['a project id that is no number', 'csv', 'scope,projectId\nproject,5e3\n', ['/delete/projectId wrong-type']],
    ['a project id that is not plain', 'csv', 'scope,projectId\nproject,007\n', ['/delete/projectId wrong-type']],
    ['both', 'csv', 'scope,create\nproject,{}\n', ['/delete/projectId required', ' required']],
    ['neither', 'csv', 'scope,create\n,\n', [' required']],
    ['no JSON', 'jsonl', '{"create":', [' syntax']],
    ['a key twice', 'jsonl', '{"create":{},"create":{}}', ['/create duplicate-key']],
    ['no command', 'jsonl', '[]', [' wrong-type']],
    ['a misspelt one', 'jsonl', '{"crate":{}}', ['/crate unknown-field', ' required']],
    [
      'every fault at once',
      'jsonl',
      '{"delete":{"scope":"all","id":5}}',
      ['/delete/scope not-allowed', '/delete/id unknown-field'],
    ],
  ])('refuses %s in %s', async (_, format, content, faults) => {
    expect((await commandsIn(content, format))[0]).toEqual(faults);
  });

  it('in CSV may break off within its line end', async () => {
    expect(await commandsIn('scope,customId\r\nproject,x\r', 'csv')).toEqual([
      { delete: { scope: 'project', customId: 'x' } },
    ]);
  });

  it('refuses an entry that is larger than a body, unread', async () => {
    const content = JSON.stringify({ create: 'x'.repeat(LIMITS.bodyBytes) });
    expect(await commandsIn(`${content}\n{"create":{}}`, 'jsonl')).toEqual(['too-large', { create: {} }]);
  });
});

describe('the key of an entry', () => {
  const sha256 = 'a'.repeat(64);
  const manifest = { sha256, format: 'jsonl' } as const;

  it('is that of its manifest and of its place there', () => {
    const keys = [
      keyOf(manifest, { entry: 1 }),
      keyOf(manifest, { entry: 2 }),
      keyOf({ ...manifest, sha256: 'b'.repeat(64) }, { entry: 1 }),
    ];
    expect(new Set(keys).size).toBe(3);
    expect(keys[0]).toBe(`bulk ${sha256} 1`);
  });
});

it.each([
  ['manifest.jsonl', 'jsonl'],
  ['a.b.NDJSON', 'jsonl'],
  ['folder.csv/manifest.json', 'json'],
  ['manifest.csv', 'csv'],
  ['manifest', undefined],
  ['manifest.txt', undefined],
])('%s is %s', (name, format) => {
  expect(formatOf(name)).toBe(format);
});

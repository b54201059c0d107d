import { describe, expect, it } from 'vitest';
import { SegueError } from '../../client/error.ts';
import {
  type EntryToWrite,
  exportFile,
  fillFile,
  type ImportOptions,
  importFile,
  type TranslationsClient,
} from '../transfer.ts';
import type { FileSegment, FileTranslation } from '../translation-file.ts';
import { fileOf, PROJECT, translated } from './files.ts';

interface Write {
  readonly entries: readonly EntryToWrite[];
  readonly idempotencyKey: string;
}

/** A Segue with one project. It counts versions, and refuses requests with another version, all or nothing. */
class Service implements TranslationsClient {
  readonly writes: Write[] = [];
  readonly #segments: readonly FileSegment[];
  readonly translations = new Map<number, FileTranslation>();
  /** Called before each write, so that somebody else can write first. */
  beforeWrite: () => void = () => {};
  /** Called before each segment is read. */
  beforeRead: () => void = () => {};

  constructor(segments: readonly Partial<FileSegment>[]) {
    this.#segments = fileOf(segments).segments;
    for (const { id, translation } of this.#segments) if (translation) this.translations.set(id, translation);
  }

  async getProject() {
    return { ...PROJECT, targetLanguages: [{ targetLanguageId: 1, targetLanguageCode: 'DE_de' }, { odd: true }] };
  }

  async *eachSegment(_: number, { languageCode, taskId }: { languageCode: string; taskId?: string | undefined }) {
    for (const { translation: __, notes, ...source } of this.#segments) {
      this.beforeRead();
      if (taskId !== undefined && source.taskId !== taskId) continue;
      const { content = null, status = 'untranslated', version = 0 } = this.translations.get(source.id) ?? {};
      const languageSpecificNotes = [
        { languageId: null, languageCode, note: 'Only here' },
        { languageCode: 'fr-FR', note: 'Not here' },
      ];
      yield {
        source: { ...source, notes: notes[0] ?? null, languageSpecificNotes },
        translations: [{ id: 1, languageCode, content, status, version }],
      };
    }
  }

  async writeTranslations(_: number, entries: readonly EntryToWrite[], options: { idempotencyKey: string }) {
    this.beforeWrite();
    this.writes.push({ entries, ...options });
    const errors = entries.flatMap(({ segmentId, ifVersion }, index) =>
      (this.translations.get(segmentId)?.version ?? 0) === ifVersion
        ? []
        : [{ pointer: `/${index}/ifVersion`, code: 'version-differs', detail: 'It has another version now.' }],
    );
    if (errors.length > 0) throw refusal('translation-changed', errors);
    for (const { segmentId, content, status } of entries) this.write(segmentId, { content, status });
  }

  write(id: number, translation: Omit<FileTranslation, 'version'>) {
    this.translations.set(id, { ...translation, version: (this.translations.get(id)?.version ?? 0) + 1 });
  }
}

function refusal(
  type: 'translation-changed' | 'scope-missing' | 'page-outdated',
  errors: SegueError['errors'] = [],
): SegueError {
  return new SegueError({ type, title: 'T', detail: 'D', retryable: false, outcome: 'not-applied', errors });
}

/** Exports a project as CSV, and translates each segment that has no translation. */
async function translatedCsv(service: Service): Promise<string> {
  const text = await exportFile(service, 4_711, { languageCode: 'de-DE', format: 'csv' });
  return text.replaceAll(/,,untranslated,/g, ',Neu,translated,');
}
const importCsv = (service: Service, text: string, options: Partial<ImportOptions> = {}) =>
  importFile(service, text, { format: 'csv', ...options });

describe('an export', () => {
  const service = new Service([{ taskId: 'a', notes: ['For all'], translation: translated('Eins') }, { taskId: 'b' }]);

  it('has the segments of a task with their notes for the language', async () => {
    const text = await exportFile(service, 4_711, { languageCode: 'deu-de', format: 'json', taskId: 'a' });
    expect(JSON.parse(text)).toMatchObject({
      language: 'de-DE',
      segments: [{ target: 'Eins', notes: ['For all', 'Only here'], base: expect.stringMatching(/^v1/) }],
    });
    expect(JSON.parse(text).segments).toHaveLength(1);
  });

  it('starts again if the project changes meanwhile', async () => {
    const changing = new Service([{}, {}]);
    let reads = 0;
    changing.beforeRead = () => {
      reads++;
      if (reads === 2) throw refusal('page-outdated');
    };
    const text = await exportFile(changing, 4_711, { languageCode: 'de-DE', format: 'json' });
    expect(JSON.parse(text).segments).toHaveLength(2);
    changing.beforeRead = () => {
      throw refusal('page-outdated');
    };
    const options = { languageCode: 'de-DE', format: 'json' } as const;
    await expect(exportFile(changing, 4_711, options)).rejects.toMatchObject({ type: 'page-outdated' });
  });

  it('needs a target language of the project', async () => {
    const options = { languageCode: 'fr', format: 'csv' } as const;
    await expect(exportFile(service, 4_711, options)).rejects.toThrow('Its target languages are: de-DE.');
  });

  it('fills in a file of another program', async () => {
    const po = await exportFile(new Service([{}]), 4_711, { languageCode: 'de-DE', format: 'gettext' });
    const options = { languageCode: 'de-DE' } as const;
    const { file, filled } = await fillFile(service, 4_711, Buffer.from(po), { ...options, format: 'gettext' });
    expect([filled, Buffer.from(file).toString()]).toEqual([1, expect.stringContaining('msgstr "Eins"')]);
    const json = await fillFile(service, 4_711, Buffer.from('{"a":"Text 1"}'), { ...options, format: 'json' });
    expect(Buffer.from(json.file).toString()).toBe('{"a":"Eins"}');
  });
});

describe('an import', () => {
  it('writes in batches with keys of their content, and a second one writes nothing', async () => {
    const service = new Service(Array.from({ length: 2_500 }, () => ({})));
    const text = await translatedCsv(service);
    expect(await importCsv(service, text, { dryRun: true })).toMatchObject({ changes: { length: 2_500 } });
    expect(service.writes).toEqual([]);
    const result = await importCsv(service, text);
    expect(result).toMatchObject({ projectId: 4_711, changes: { length: 2_500 }, held: [], unchanged: 0 });
    expect(service.writes.map(({ entries }) => entries.length)).toEqual([1_000, 1_000, 500]);
    expect(service.writes[0]?.entries[0]).toEqual({
      segmentId: 1,
      languageCode: 'de-DE',
      content: 'Neu',
      status: 'translated',
      ifVersion: 0,
    });
    const again = new Service(Array.from({ length: 2_500 }, () => ({})));
    await importCsv(again, text);
    const keys = (from: Service) => from.writes.map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys(service)).size).toBe(3);
    expect(keys(again)).toEqual(keys(service));
    expect(await importCsv(service, text)).toMatchObject({ changes: [], held: [], unchanged: 2_500 });
    expect(service.writes).toHaveLength(3);
  });

  it('keeps requests below the size limit', async () => {
    const service = new Service(Array.from({ length: 4 }, () => ({ content: 'a'.repeat(1_000_000) })));
    const text = (await translatedCsv(service)).replaceAll(',Neu,', `,${'b'.repeat(1_000_000)},`);
    await importCsv(service, text);
    expect(service.writes.map(({ entries }) => entries.length)).toEqual([2, 2]);
  });

  it('holds back what changes between reading and writing, and writes the rest', async () => {
    const service = new Service([{}, {}, {}]);
    const text = await translatedCsv(service);
    service.beforeWrite = () => {
      service.beforeWrite = () => {};
      service.write(2, { content: 'Anders', status: 'draft' });
    };
    const result = await importCsv(service, text);
    expect(result.changes.map(({ segmentId }) => segmentId)).toEqual([1, 3]);
    expect(result.held).toMatchObject([{ segmentId: 2, reason: 'changed' }]);
    expect(service.translations.get(2)?.content).toBe('Anders');
    expect(new Set(service.writes.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
  });

  it('that is refused for another reason fails with it', async () => {
    const service = new Service([{}]);
    const text = await translatedCsv(service);
    service.beforeWrite = () => {
      throw refusal('scope-missing');
    };
    await expect(importCsv(service, text)).rejects.toMatchObject({ type: 'scope-missing' });
  });

  it('of a file with faults writes nothing', async () => {
    const service = new Service([{}, {}]);
    const text = (await translatedCsv(service)).replace('4711,de-DE,2,', '4711,de-DE,99,');
    await expect(importCsv(service, text)).rejects.toMatchObject({
      faults: [{ code: 'unknown-segment', place: { line: 3 } }],
    });
    expect(service.writes).toEqual([]);
  });

  it('needs to know its project', async () => {
    const service = new Service([{}]);
    const text = 'segment,target,language\n1,Neu,de\n';
    await expect(importCsv(service, text)).rejects.toMatchObject({ faults: [{ code: 'missing-project' }] });
    const own = await translatedCsv(service);
    await expect(importCsv(service, own, { projectId: 5 })).rejects.toMatchObject({
      faults: [{ code: 'wrong-project' }],
    });
    expect(await importCsv(service, text, { projectId: 4_711, languageCode: 'de-DE' })).toMatchObject({
      changes: [{ segmentId: 1 }],
    });
  });
});

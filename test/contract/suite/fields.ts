import { afterAll, describe, expect, test } from 'vitest';
import { type Json, nowUtc, segment, smallProject, target } from '../../support/projects.ts';
import { type Api, byId } from '../api.ts';
import { valueAt, withValueAt } from '../pointer.ts';
import { expectInvalid, expectProblem } from '../problems.ts';

const MINUTE_MS = 60_000;

/** Tests "Fields" of `decisions.md`: the rules for the fields of all resources, and dates. */
export function fields(api: Api): void {
  describe('Fields: ids', () => {
    afterAll(() => api.cleanUp());

    const others = (id: number) => [
      ...['-', '+', '0', '%20', '0x', '%EF%BC%90'].map((before) => `${before}${id}`),
      ...['.0', 'e0', '%20', '%00', '%2F', ',', ';taskId=x', '%3FtaskId=x', 'n'].map((after) => `${id}${after}`),
      ...['0', '-1', '1e3', '9007199254740992', '99999999999999999999', 'NaN', 'custom', '__proto__', '%FF'],
    ];

    test('a path id that is not a plain decimal integer is 404', async () => {
      const { id } = await api.create(smallProject());
      for (const other of others(id)) {
        expectProblem(await api.get(byId(other)), 'project-not-found');
        expectProblem(await api.delete(byId(other)), 'project-not-found');
      }
      await api.read(byId(id));
    });
  });

  describe('Fields: unknown fields', () => {
    const places = ['', '/targetLanguages/0', '/targetLanguages/0/team/0', '/segments/0'];
    for (const place of [...places, '/segments/0/languageSpecificNotes/0']) {
      for (const name of ['colour', '__proto__', 'constructor', 'a/b~c', 'NAME', 'İd', '']) {
        const pointer = `${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        test(`an unknown field is refused: ${pointer}`, async () => {
          const project = withValueAt(smallProject(), pointer, 'x');
          expectInvalid(await api.post(project), [pointer, 'unknown-field']);
        });
      }
    }

    const misspelt = {
      '/sourceLanguagecode': 'sourceLanguageCode',
      '/targetLanguages/0/serviceTranslaton': 'serviceTranslation',
      '/targetLanguages/0/team/0/userName': 'username',
      '/segments/0/note': 'notes',
      '/segments/0/languageSpecificNotes/0/notes': 'note',
    };
    for (const [pointer, near] of Object.entries(misspelt)) {
      test(`an unknown field is refused with the nearest known name: ${pointer}, ${near}`, async () => {
        const answer = await api.post(withValueAt(smallProject(), pointer, 'x'));
        const { errors } = expectInvalid(answer, [pointer, 'unknown-field']);
        expect(`${errors?.[0]?.detail} ${errors?.[0]?.allowed}`).toContain(near);
      });
    }
  });

  describe('Fields: text', () => {
    afterAll(() => api.cleanUp());

    test('Unicode must be well formed', async () => {
      for (const pointer of ['/name', '/customId', '/taskId', '/segments/0/content', '/segments/0/notes']) {
        for (const half of ['\ud800', 'a\udfffb', '\udc00\ud800']) {
          expectInvalid(await api.post(withValueAt(smallProject(), pointer, half)), [pointer, 'ill-formed-unicode']);
        }
      }
    });

    test('content is returned byte for byte', async () => {
      const contents = [
        ...['\u0000', '\u0001\u001f', '\u007f', '\ufeff', '\uffff', '\ufffd', '\u2028\u2029', '\u200b', '\u202e'],
        ...['\r', '\n', '\r\n', '\t', ' x ', '\u00a0', '\\', '"', '/', '<!-- ]]> -->', '&amp;&#0;', '%00%2F', '{{x}}'],
        ...['e\u0301', '\u00e9', 'ﬁ', 'İı', 'ß', '👩‍👩‍👧‍👦', '🏴󠁧󠁢󠁷󠁬󠁳󠁿', 'שלום', '人権', '\u{10ffff}'],
      ];
      const { id } = await api.create(smallProject({ segments: contents.map((content) => ({ content })) }));
      const { segments } = await api.read(byId(id));
      expect(segments.map(({ content }) => content)).toEqual(contents);
    });
  });

  describe('Fields: lists', () => {
    test('lists may hold only objects', async () => {
      for (const pointer of ['/targetLanguages/0', '/targetLanguages/0/team/0', '/segments/0']) {
        for (const value of [null, 'x', 7, []]) {
          expectInvalid(await api.post(withValueAt(smallProject(), pointer, value)), [
            pointer,
            'wrong-type',
            'required',
          ]);
        }
      }
    });
  });

  describe('Fields: null', () => {
    afterAll(() => api.cleanUp());

    test('null for an optional field means that it is left out, and the answer does not have the field', async () => {
      const optional: Record<string, Json> = { description: null, domainId: null, eventUrl: null, customId: null };
      const created = await api.create(
        smallProject({
          ...optional,
          targetLanguages: [target({ styleGuideId: null, additionalInfo: null })],
          segments: [segment({ notes: null, languageSpecificNotes: null })],
        }),
      );
      for (const name of Object.keys(optional)) expect(created).not.toHaveProperty(name);
      for (const pointer of [
        '/targetLanguages/0/styleGuideId',
        '/segments/0/notes',
        '/segments/0/languageSpecificNotes',
      ]) {
        expect(valueAt(created, pointer)).toBeUndefined();
      }
    });
  });

  describe('Fields: empty texts', () => {
    afterAll(() => api.cleanUp());

    test('an empty taskId or eventUrl of the project counts as absent', async () => {
      const created = await api.create(smallProject({ taskId: '', eventUrl: '' }));
      for (const project of [created, await api.read(byId(created.id))]) {
        expect(project).not.toHaveProperty('taskId');
        expect(project).not.toHaveProperty('eventUrl');
      }
    });

    test('other empty texts, and blank ones, are refused', async () => {
      for (const [pointer, value, code] of [
        ['/taskId', ' ', 'blank'],
        ['/eventUrl', ' ', 'invalid-url'],
        ['/customId', '', 'empty'],
        ['/name', '', 'blank'],
        ['/segments/0/taskId', '', 'blank'],
        ['/segments/0/content', '', 'empty'],
      ] as const) {
        expectInvalid(await api.post(withValueAt(smallProject(), pointer, value)), [pointer, code]);
      }
    });
  });

  describe('Fields: event URL', () => {
    const here = [
      'http://127.0.0.1:9000/x',
      'http://localhost:9000',
      'localhost:9000',
      'http://[::1]:9000',
      '127.0.0.1',
    ];
    for (const eventUrl of here) {
      test(`a URL of this machine is refused with the option that allows it: ${eventUrl}`, async () => {
        const { errors } = expectInvalid(await api.post(smallProject({ eventUrl })), ['/eventUrl', 'invalid-url']);
        expect(errors?.[0]?.detail).toContain('npm start -- --allow-loopback-events');
      });
    }

    test('the refusal of another URL does not speak of this machine', async () => {
      for (const eventUrl of ['http://example.com', 'ftp://localhost.example.com', 'http://127.example.com']) {
        const { errors } = expectInvalid(await api.post(smallProject({ eventUrl })), ['/eventUrl', 'invalid-url']);
        expect(errors?.[0]?.detail).not.toContain('loopback');
      }
    });
  });

  describe('Fields: dates', () => {
    afterAll(() => api.cleanUp());

    const second = () => nowUtc().slice(0, 19);
    const expectDate = (got: string, sent: string, sentInUtc: string) => {
      expect(api.target.echoesDates ? [sent] : [sent, sentInUtc]).toContain(got);
    };
    const fractions = [
      '',
      ...Array.from({ length: 9 }, (_, n) => `.${'123456789'.slice(0, n + 1)}`),
      '.0',
      '.000000000',
    ];
    const zones = ['Z', 'z', '', '+00:00', '-00:00', '-05:00', '+05:45', '+14:00', '-23:59'];
    const forms = [...fractions.flatMap((fraction) => [`${fraction}Z`, `${fraction}-05:00`]), ...zones];
    for (const form of forms) {
      test(`a date is RFC 3339 with any offset or none, and up to 9 fraction digits: ${form || 'no offset'}`, async () => {
        const [start, end] = [atOffset(second(), form), `2099-01-01T00:00:00${form}`];
        const created = await api.create(smallProject({ startDateUtc: start.local, endDateUtc: end }));
        const read = await api.read(byId(created.id));
        const endUtc = atOffset('2099-01-01T00:00:00', form, -1).utc;
        for (const { startDateUtc, endDateUtc } of [created, read]) {
          expectDate(startDateUtc, start.local, start.utc);
          expectDate(endDateUtc, end, endUtc);
        }
      });
    }

    test('dates are compared as moments, not as written days', async () => {
      const [early, late] = ['2098-12-31T23:00:00-05:00', '2099-01-01T03:59:59Z'];
      const now = nowUtc();
      expectInvalid(await api.post(smallProject({ startDateUtc: now, endDateUtc: '1999-01-01T00:00:00+23:59' })), [
        '/endDateUtc',
        'end-not-after-start',
      ]);
      const created = await api.create(smallProject({ startDateUtc: now, endDateUtc: late }));
      expect(Date.parse(created.endDateUtc)).toBeLessThan(Date.parse(early));
    });

    const wrong = [
      '2099-01-01 00:00:00Z',
      '2099-01-01T24:00:00Z',
      '2099-01-01T23:59:60Z',
      '2099-02-30T00:00:00-05:00',
      '2099-02-29T00:00:00',
      '2099-01-01T00:00:00+24:00',
      '2099-01-01T00:00:00-00:60',
      '2099-01-01T00:00:00+0500',
      '2099-01-01T00:00:00.1234567891-05:00',
      '2099-01-01T00:00:00.',
      '2099-01-01',
    ];
    for (const endDateUtc of wrong) {
      test(`any other text is refused with a hint to the right format: ${endDateUtc}`, async () => {
        const { errors } = expectInvalid(await api.post(smallProject({ endDateUtc })), ['/endDateUtc', 'invalid-date']);
        expect(errors?.[0]?.detail).toMatch(/2026-01-31T09:00:00Z or 2026-01-31T04:00:00-05:00/);
      });
    }

    test('a year outside 0000 to 9999 in UTC is refused, with that reason', async () => {
      for (const endDateUtc of ['9999-12-31T23:59:59-05:00', '0000-01-01T00:00:00+05:00']) {
        const { errors } = expectInvalid(await api.post(smallProject({ endDateUtc })), ['/endDateUtc', 'invalid-date']);
        expect(errors?.[0]?.detail).toMatch(/year .* outside 0000 to 9999/);
      }
    });

    test('startDateUtc must lie within 5 minutes of the service’s clock', async () => {
      for (const minutes of [-4, 4]) await api.create(smallProject({ startDateUtc: nowUtc(minutes * MINUTE_MS) }));
      for (const minutes of [-6, 6, -60 * 24, 60]) {
        const project = smallProject({ startDateUtc: nowUtc(minutes * MINUTE_MS) });
        expectInvalid(await api.post(project), ['/startDateUtc', 'start-not-now']);
      }
    });

    test('endDateUtc must be later than startDateUtc', async () => {
      const now = nowUtc();
      await api.create(smallProject({ startDateUtc: now, endDateUtc: nowUtc(1_000) }));
      const long = `${second()}.5000000Z`;
      for (const [startDateUtc, endDateUtc] of [
        [now, now],
        [now, nowUtc(-1_000)],
        [now, '1999-01-01T00:00:00Z'],
        [long, long.replace('.5000000Z', '.5+00:00')],
        [long, long.replace('.5000000Z', '.5')],
        [long, long.replace('.5000000Z', '.4999999Z')],
      ] as const) {
        expectInvalid(await api.post(smallProject({ startDateUtc, endDateUtc })), [
          '/endDateUtc',
          'end-not-after-start',
        ]);
      }
      await api.create(smallProject({ startDateUtc: long, endDateUtc: long.replace('.5000000Z', '.5000001Z') }));
      const [nano, sameNano] = [long.replace('000Z', '00001Z'), long.replace('000Z', '00001+00:00')];
      expectInvalid(await api.post(smallProject({ startDateUtc: nano, endDateUtc: sameNano })), [
        '/endDateUtc',
        'end-not-after-start',
      ]);
    });
  });
}

/** Returns a date with an offset of the given form, and the same moment in UTC as an upstream service gets it. */
function atOffset(secondUtc: string, form: string, direction = 1): { readonly local: string; readonly utc: string } {
  const [, fraction = '', sign = '', hours = '0', minutes = '0'] =
    /^(\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))?$/.exec(form) ?? [];
  const offsetMs = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  const moved = new Date(Date.parse(`${secondUtc}Z`) + direction * offsetMs).toISOString().slice(0, 19);
  const [local, utc] = direction > 0 ? [moved, secondUtc] : [secondUtc, moved];
  return { local: local + form, utc: `${utc}${fraction.slice(0, 8)}Z` };
}

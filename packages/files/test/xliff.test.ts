import { describe, expect, it } from 'vitest';
import { loadCodec } from '../codecs.ts';
import { formatPlace, TranslationFileError } from '../file-fault.ts';
import { planImport } from '../plan-import.ts';
import { readXliff, writeXliff1, writeXliff2 } from '../xliff/xliff.ts';
import { fileOf, translated } from './files.ts';

const unit1 = (content: string, attributes = 'id="1"') =>
  `<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="segue:project/4711" source-language="en" target-language="de" datatype="html"><body><trans-unit ${attributes}>${content}</trans-unit></body></file></xliff>`;
const unit2 = (content: string) =>
  `<xliff version="2.1" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="de"><file id="f" original="segue:project/4711"><unit id="1">${content}</unit></file></xliff>`;
const entryIn = (text: string) => readXliff(text).entries[0];
/** Returns the faults of a file, each as `place: code`. */
function faultsOf(text: string | Uint8Array): string[] {
  try {
    return readXliff(text).faults.map(({ place, code }) => `${formatPlace(place)}: ${code}`);
  } catch (error) {
    if (!(error instanceof TranslationFileError)) throw error;
    return error.faults.map(({ place, code }) => `${formatPlace(place)}: ${code}`);
  }
}

describe('an exported XLIFF file', () => {
  const html = fileOf([
    {
      customId: 'a "b"',
      content: '<p class="x">Hello<br/> &amp; <b>you</b>\u0001</p>',
      notes: ['Be kind & brief'],
      translation: translated('<p class="x"><b>Du</b> &amp; hallo<i>!</i></p>', 'automatic'),
    },
    { content: 'Bye' },
  ]);

  it('has the markup of HTML as codes, in 1.2', () => {
    const [, unit = ''] = /(<trans-unit id="1".*?)<trans-unit/s.exec(writeXliff1(html)) ?? [];
    expect(unit.split(/\n\s*/)).toEqual([
      expect.stringMatching(/^<trans-unit id="1" resname="a &quot;b&quot;" extradata="v1.automatic.[\da-f]{8}">$/),
      '<source><bpt id="1">&lt;p class="x"&gt;</bpt>Hello<ph id="2">&lt;br/&gt;</ph> &amp;amp; <bpt id="3">&lt;b&gt;</bpt>you<ept id="3">&lt;/b&gt;</ept><ph id="c1" ctype="x-segue-character">0001</ph><ept id="1">&lt;/p&gt;</ept></source>',
      '<target state="needs-review-translation" state-qualifier="mt-suggestion"><bpt id="1">&lt;p class="x"&gt;</bpt><bpt id="3">&lt;b&gt;</bpt>Du<ept id="3">&lt;/b&gt;</ept> &amp;amp; hallo<bpt id="4">&lt;i&gt;</bpt>!<ept id="4">&lt;/i&gt;</ept><ept id="1">&lt;/p&gt;</ept></target>',
      '<note>Be kind &amp; brief</note>',
      '</trans-unit>',
      '',
    ]);
  });

  it('has the markup of HTML as codes, in 2.1', () => {
    const [, unit = ''] = /(<unit id="1".*?)<unit/s.exec(writeXliff2(html)) ?? [];
    expect(unit).toContain(
      '<target><pc id="1" dataRefStart="d1" dataRefEnd="d2"><pc id="3" dataRefStart="d4" dataRefEnd="d5">Du</pc> &amp;amp; hallo<pc id="4" dataRefStart="d6" dataRefEnd="d7">!</pc></pc></target>',
    );
    expect(unit).toContain('<segment state="initial" subState="segue:automatic">');
    expect(unit).toContain('<cp hex="0001"/>');
  });
});

describe('an element whose content must stay as it is', () => {
  const content = 'Use <code>npm <i>ci</i></code> <span translate="no">now</span> or <code>\u0001</code> <var>open';
  const file = fileOf([{ content, translation: translated(content) }]);

  it('is one code of XLIFF, and comes back', () => {
    const codes =
      'Use <ph id="1">&lt;code&gt;npm &lt;i&gt;ci&lt;/i&gt;&lt;/code&gt;</ph> <ph id="2">&lt;span translate="no"&gt;now&lt;/span&gt;</ph> or <bpt id="3">&lt;code&gt;</bpt>';
    expect(writeXliff1(file)).toContain(`<source>${codes}`);
    expect(writeXliff1(file)).toMatch(/<target [^>]*>Use <ph id="1">/);
    for (const write of [writeXliff1, writeXliff2]) {
      expect(entryIn(write(file))).toMatchObject({ source: content, content });
    }
  });

  it('is missing from a translation in which it has changed', () => {
    const parsed = readXliff(writeXliff1(file).replace(/(?<=<target.*)ci&/, 'install&'));
    const { warnings } = planImport(parsed, [file], {});
    expect(warnings).toMatchObject([
      { code: 'markup-lost', detail: expect.stringMatching(/: "<code>npm <i>ci<\/i><\/code>"$/) },
    ]);
  });
});

describe('an XLIFF file of a tool', () => {
  it.each([
    ['state="translated"', 'id="1"', 'translated'],
    ['state="translated" state-qualifier="mt-suggestion"', 'id="1"', 'translated'],
    ['state="final"', 'id="1"', 'proofread'],
    ['state="translated"', 'id="1" approved="yes"', 'proofread'],
    ['', 'id="1"', 'translated'],
    ['', 'id="1" approved="no"', 'translated'],
    ['state-qualifier="fuzzy-match"', 'id="1"', 'pretranslated'],
    ['state="needs-review-translation" state-qualifier="leveraged-mt"', 'id="1"', 'automatic'],
    ['state="needs-adaptation"', 'id="1"', 'draft'],
    ['state="x-mine"', 'id="1"', 'draft'],
  ])('1.2 with %s and %s is read as %s', (target, unit, status) => {
    expect(entryIn(unit1(`<source>a</source><target ${target}>b</target>`, unit))).toMatchObject({ status });
  });

  it.each([
    ['state="initial"', 'draft'],
    ['state="initial" subState="other:x"', 'draft'],
    ['state="reviewed"', 'proofread'],
    ['state="final"', 'proofread'],
    ['', 'translated'],
  ])('2 with %s is read as %s', (segment, status) => {
    const text = unit2(`<segment ${segment}><source>a</source><target>b</target></segment>`);
    expect(entryIn(text)).toMatchObject({ status });
  });

  it('may have lost the markup of its codes', () => {
    const source = '<source><bpt id="1">&lt;b></bpt>a<ept id="1">&lt;/b></ept><ph id="2">&lt;br></ph></source>';
    const target = '<target><ph id="2"/><mrk mtype="x-term"><bpt id="1"/>b</mrk><ept id="1"/></target>';
    expect(entryIn(unit1(source + target))).toMatchObject({ source: '<b>a</b><br>', content: '<br><b>b</b>' });
    const data = '<originalData><data id="d1">&lt;br></data></originalData>';
    const segment = '<segment><source>a<ph id="1" dataRef="d1"/></source><target><ph id="1"/>b</target></segment>';
    expect(entryIn(unit2(data + segment))).toMatchObject({ content: '<br>b' });
  });

  it('may have divided a unit', () => {
    const mrk = (mid: number, text: string) => `<mrk mtype="seg" mid="${mid}">${text}</mrk>`;
    const source = `<source>A. B.</source><seg-source>${mrk(1, 'A.')} ${mrk(2, 'B.')}</seg-source>`;
    const whole = `${source}<target>${mrk(1, 'C.')} ${mrk(2, 'D.')}</target>`;
    expect(entryIn(unit1(whole))).toMatchObject({ content: 'C. D.', status: 'translated' });
    const half = `${source}<target>${mrk(1, 'C.')} ${mrk(2, '')}</target>`;
    expect(entryIn(unit1(half))).toMatchObject({ content: '', status: 'untranslated' });
    const segment = (text: string, target: string, state: string) =>
      `<segment state="${state}"><source>${text}</source>${target}</segment>`;
    const divided = (second: string) =>
      unit2(
        `${segment('A.', '<target order="3">C.</target>', 'final')}<ignorable><source> </source></ignorable>${segment('B.', second, 'translated')}`,
      );
    expect(entryIn(divided('<target order="1">D.</target>'))).toMatchObject({
      source: 'A. B.',
      content: 'D. C.',
      status: 'translated',
    });
    expect(entryIn(divided(''))).toMatchObject({ content: '', status: 'untranslated' });
  });

  it('may have copied the source into the target of a unit that nobody has translated', () => {
    const foreign = unit1('<source>a</source><target state="new">a</target>').replace('segue:project/4711', 'a.html');
    expect(entryIn(foreign)).toMatchObject({ content: '', status: 'untranslated', customIds: ['1'] });
  });
});

const INLINE = '<source>a<x id="1"/><g id="2">b</g><ph id="3">{0}</ph></source>';
const SEGMENT = '<segment><source>a<ph id="1"/><pc id="2">b</pc></source>';

describe('a code in a target', () => {
  it.each([
    ['<x id="99"/>', '<x id="99"/>'],
    ['<g id="99">b</g>', '<g id="99">'],
    ['<bpt id="99"/>b<ept id="99"/>', '<bpt id="99"/>'],
    ['<ph id="99"/>', '<ph id="99"/>'],
    ['<mrk mtype="x-term">a<bx id="99"/></mrk>', '<bx id="99"/>'],
  ])('of 1.2 is a fault at its place if the source lacks it: %s', (target, code) => {
    const text = unit1(`${INLINE}\n<target>a${target}</target>`);
    const { faults, entries } = readXliff(text);
    const column = text.split('\n')[1]?.indexOf(code) ?? -1;
    expect(faults).toContainEqual({
      place: { line: 2, column: column + 1 },
      code: 'unknown-code',
      detail: `The source of the unit has no code ${code}.`,
    });
    expect(entries).toHaveLength(1);
  });

  it.each([
    '<ph id="99"/>',
    '<ph id="99" dataRef="d9"/>',
    '<pc id="99">b</pc>',
    '<sc id="99"/>',
    '<ec startRef="99"/>',
  ])('of 2 is a fault at its place if the source lacks it: %s', (target) => {
    expect(faultsOf(unit2(`${SEGMENT}\n<target>${target}</target></segment>`))).toContain(
      'line 2, column 9: unknown-code',
    );
  });

  it.each([
    unit1(`${INLINE}<target><ph id="3"/><g id="2">b<x id="1" ctype="image"/></g><x id="1"/>{0}</target>`),
    unit1(`${INLINE}<target><bx id="2"/>a<x id="1"/>b<ex id="2"/></target>`),
    unit1(`${INLINE}<target><bpt id="4">&lt;i></bpt>c<ept id="4">&lt;/i></ept></target>`),
    unit2(`${SEGMENT}<target><sc id="2"/>b<ec startRef="2"/><ph id="1"/><ph id="3" copyOf="1"/></target></segment>`),
    unit2(
      `${SEGMENT}<target><mrk id="9" type="term">a</mrk><sm id="8"/>b<em startRef="8"/><cp hex="0001"/></target></segment>`,
    ),
  ])('may be a copy, have markup of its own, or only annotate the text', (text) => {
    expect(faultsOf(text)).toEqual([]);
  });
});

it.each([
  unit1('<source>a</source><target state="done">b</target>', 'id="1"'),
  unit2('<segment state="done"><source>a</source><target>b</target></segment>'),
])('an unknown state is a warning, and the translation is a draft', (text) => {
  expect(readXliff(text)).toMatchObject({
    entries: [{ content: 'b', status: 'draft' }],
    faults: [],
    warnings: [{ place: { line: 1 }, code: 'unknown-status' }],
  });
});

describe('a bad XLIFF file is refused:', () => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>${unit1('<source>&b;</source>')}`;
  it.each<[what: string, text: string | Uint8Array, faults: string[]]>([
    ['entities that expand', bomb, ['line 1, column 84: not-allowed']],
    [
      'another file',
      `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><xliff>&a;</xliff>`,
      ['line 1, column 55: not-allowed'],
    ],
    ['an unknown entity', unit1('<source>&nbsp;</source>'), [expect.stringMatching(/^line 1, column \d+: syntax$/)]],
    ['deep nesting', '<a>'.repeat(200), ['line 1: too-large']],
    ['tags that do not match', '<a>\n <b></a>', ['line 2, column 9: syntax']],
    ['nothing', '', ['line 1, column 1: syntax']],
    ['another XML', '<svg/>', ['line 1: syntax']],
    ['another version', '<xliff version="3.0"/>', ['line 1: wrong-version']],
    ['broken UTF-8', Uint8Array.of(0x3c, 0xff), ['line 1, column 2: encoding']],
    ['an unknown encoding', Buffer.from('<?xml version="1.0" encoding="x-none"?><a/>'), ['line 1: encoding']],
    [
      'every wrong unit',
      unit1('<source>a</source><target>b<x id="2"/></target>', 'id="x"'),
      [expect.stringMatching(/missing-segment$/), expect.stringMatching(/unknown-code$/)],
    ],
  ])('%s', (_, text, faults) => {
    expect(faultsOf(text)).toEqual(faults);
  });

  it('more than 64 MiB', async () => {
    const { read } = await loadCodec('xliff');
    expect(() => read(new Uint8Array(67_108_865))).toThrow('The file has more than 64 MiB.');
  });
});

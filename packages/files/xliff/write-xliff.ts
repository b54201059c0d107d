import { EACH_NOT_IN_XML, type Part, protectedPartsOf } from '../markup.ts';
import { baseOf, type FileSegment, type TranslationFile, tagOf } from '../translation-file.ts';
import { escapeAttribute, escapeText } from '../xml.ts';
import { STATES_1, STATES_2 } from './states.ts';
import { CONTROL_TYPE, hexOf, originalOf, SEGUE_NAMESPACE, XLIFF_1, XLIFF_2 } from './vocabulary.ts';

/** Writes a file in XLIFF 1.2. Markup becomes inline codes that contain it: `<bpt>`, `<ept>` and `<ph>`. */
export function writeXliff1({ project, languageCode, segments }: TranslationFile): string {
  const isHtml = segments.some(({ content }) => /<[a-z]/i.test(content));
  const file = attributes({
    original: originalOf(project.id),
    'source-language': tagOf(project.sourceLanguageCode),
    'target-language': tagOf(languageCode),
    datatype: isHtml ? 'html' : 'plaintext',
    'product-name': project.name,
    'xml:space': 'preserve',
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<xliff version="1.2" xmlns="${XLIFF_1}">`,
    `  <file${file}>`,
    '    <body>',
    ...segments.map(unit1),
    '    </body>',
    '  </file>',
    '</xliff>',
    '',
  ].join('\n');
}

function unit1({ id, customId, content, notes, translation }: FileSegment): string {
  const state = translation && STATES_1[translation.status];
  const unit = attributes({
    id: String(id),
    resname: customId,
    approved: state?.approved && 'yes',
    extradata: baseOf(translation, translation?.status ?? 'untranslated'),
  });
  const source = protectedPartsOf(content);
  const target = attributes({ state: state?.state, 'state-qualifier': state?.qualifier });
  return [
    `      <trans-unit${unit}>`,
    `        <source>${inline1(source)}</source>`,
    ...(translation
      ? [`        <target${target}>${inline1(protectedPartsOf(translation.content, source))}</target>`]
      : []),
    ...notes.map((note) => `        <note>${safeText(note)}</note>`),
    '      </trans-unit>',
  ].join('\n');
}

function inline1(parts: readonly Part[]): string {
  let controls = 0;
  return parts
    .map((part) => {
      if (part.kind === 'control') controls++;
      return code1(part, controls);
    })
    .join('');
}

/** @param controls how many characters that XML lacks there are so far */
function code1(part: Part, controls: number): string {
  const text = escapeText(part.text);
  switch (part.kind) {
    case 'text':
      return text;
    case 'control':
      return `<ph id="c${controls}" ctype="${CONTROL_TYPE}">${hexOf(part.text)}</ph>`;
    case 'single':
      return `<ph id="${part.id}">${text}</ph>`;
    case 'open':
      return `<bpt id="${part.id}">${text}</bpt>`;
    case 'close':
      return `<ept id="${part.id}">${text}</ept>`;
  }
}

/** Writes a file in XLIFF 2.1. Markup becomes inline codes, `<pc>` and `<ph>`, and stands in `<originalData>`. */
export function writeXliff2({ project, languageCode, segments }: TranslationFile): string {
  const root = attributes({ srcLang: tagOf(project.sourceLanguageCode), trgLang: tagOf(languageCode) });
  const file = attributes({
    id: `project-${project.id}`,
    original: originalOf(project.id),
    canResegment: 'no',
    'xml:space': 'preserve',
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<xliff version="2.1" xmlns="${XLIFF_2}" xmlns:segue="${SEGUE_NAMESPACE}"${root}>`,
    `  <file${file}>`,
    ...(project.name === '' ? [] : [`    <notes>\n      <note>${safeText(project.name)}</note>\n    </notes>`]),
    ...segments.map(unit2),
    '  </file>',
    '</xliff>',
    '',
  ].join('\n');
}

function unit2({ id, customId, content, notes, translation }: FileSegment): string {
  const state = translation && STATES_2[translation.status];
  const unit = attributes({
    id: String(id),
    name: customId,
    'segue:base': baseOf(translation, translation?.status ?? 'untranslated'),
  });
  const data = new Map<string, string>();
  const source = protectedPartsOf(content);
  const texts = [`          <source>${inline2(source, data)}</source>`];
  if (translation) {
    texts.push(`          <target>${inline2(protectedPartsOf(translation.content, source), data)}</target>`);
  }
  const dataElements = Array.from(data, ([text, key]) => `        <data id="${key}">${escapeText(text)}</data>`);
  const noteElements = notes.map((note) => `        <note>${safeText(note)}</note>`);
  return [
    `    <unit${unit}>`,
    ...(noteElements.length > 0 ? ['      <notes>', ...noteElements, '      </notes>'] : []),
    ...(dataElements.length > 0 ? ['      <originalData>', ...dataElements, '      </originalData>'] : []),
    `      <segment${attributes({ state: state?.state, subState: state?.subState })}>`,
    ...texts.map((text) => text.slice(2)),
    '      </segment>',
    '    </unit>',
  ].join('\n');
}

/** @param data the ids of the unit's original data by their text, which this function extends */
function inline2(parts: readonly Part[], data: Map<string, string>): string {
  const closing = new Map(parts.flatMap((part) => (part.kind === 'close' ? [[part.id, part.text]] : [])));
  const keyOf = (text = '') => {
    const key = data.get(text) ?? `d${data.size + 1}`;
    data.set(text, key);
    return key;
  };
  return parts.map((part) => code2(part, keyOf, closing)).join('');
}

function code2(part: Part, keyOf: (text?: string) => string, closing: ReadonlyMap<number, string>): string {
  switch (part.kind) {
    case 'text':
      return escapeText(part.text);
    case 'control':
      return `<cp hex="${hexOf(part.text)}"/>`;
    case 'single':
      return `<ph id="${part.id}" dataRef="${keyOf(part.text)}"/>`;
    case 'open':
      return `<pc id="${part.id}" dataRefStart="${keyOf(part.text)}" dataRefEnd="${keyOf(closing.get(part.id))}">`;
    case 'close':
      return '</pc>';
  }
}

/** Escapes a text that no import reads. Characters that XML lacks become U+FFFD. */
function safeText(text: string): string {
  return escapeText(text.replace(EACH_NOT_IN_XML, '\ufffd'));
}

function attributes(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${escapeAttribute(value)}"`))
    .join('');
}

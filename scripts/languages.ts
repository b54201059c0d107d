/**
 * Writes the language catalogue (lib/contract/languages.data.ts) and the table of three-letter codes
 * (lib/contract/iso639.data.ts) from Unicode CLDR:
 *
 *   node scripts/languages.ts <dir of cldr-core> <dir of cldr-localenames-full>
 *
 * Ids are part of the contract, so a row once written stays as it is, id, code and name: clients store ids,
 * and a project made years ago must still mean the same language. Running this again only appends what the lists
 * below newly ask for.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES, type Language } from '../lib/contract/languages.data.ts';

/** Ids that clients of the service already use. */
const FIXED: ReadonlyMap<string, number> = new Map([
  ['ar-AE', 21],
  ['zh-Hans', 32],
  ['zh-Hant', 33],
  ['en-GB', 40],
  ['en-US', 41],
  ['fr-CA', 48],
  ['de-DE', 53],
  ['ja', 72],
  ['ko', 76],
  ['pt-BR', 94],
  ['es-ES', 104],
  ['es-CO', 108],
  ['en-CA', 158],
]);

/** Every other id is this or above, out of the way of ids that may yet become known. */
const FIRST_OWN_ID = 1001;

/**
 * The ISO 639-1 codes, written out so that a change in CLDR cannot silently add or lose one. `bh` was withdrawn in
 * 2021, but the published table of ISO 639-2 still pairs it with `bih`; `sh` was withdrawn in 2000 and no ISO 639-2
 * code is paired with it.
 */
const TWO_LETTER = words(`
  aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es
  et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj
  kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv
  ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti
  tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
`);

/** Languages that have no two-letter code: the large ones, and small ones that are often translated into. */
const THREE_LETTER = words(`
  ace ary arz ast awa ban bar bem bew bgc bho bik brx bug ceb chr ckb crh crs doi dsb dyu fil fon fur gaa gan gsw hak haw
  hil hmn hsb hsn ilo kab kea kok kri lad lah lij lmo lua luo lus mad mag mai mfe min mni mos nan nap nds new nqo nso pag
  pam pap pcm pms quc raj sah sat scn sco shn srn syr szl tcy tet tpi tum tyv udm umb vec war wuu yue zgh zza
`);

/** Regional and script forms in use beside the default region of each language, which CLDR gives. */
const FORMS: Readonly<Record<string, string>> = {
  ar: 'AE BH DZ EG IQ JO KW LB LY MA OM PS QA SA SD SY TN YE',
  az: 'Cyrl Latn',
  bn: 'IN',
  bs: 'Cyrl Latn',
  ca: 'AD FR',
  ckb: 'IQ',
  de: 'AT BE CH DE IT LI LU',
  dv: 'MV',
  el: 'CY',
  en: 'AU CA GB GH HK IE IN JM KE MT MY NG NZ PH PK SG TT TZ UG US ZA ZM ZW',
  es: '419 AR BO CL CO CR CU DO EC ES GT HN MX NI PA PE PR PY SV US UY VE',
  fa: 'AF',
  ff: 'Adlm Latn',
  fo: 'FO',
  fr: 'BE CA CD CH CI CM DZ FR HT LU MA MC ML MU SN TN',
  fy: 'NL',
  hi: 'Latn',
  hr: 'BA',
  ht: 'HT',
  it: 'CH',
  iu: 'Latn',
  kk: 'Arab',
  kl: 'GL',
  ko: 'KP',
  ku: 'Arab Latn',
  lb: 'LU',
  mi: 'NZ',
  mn: 'Mong',
  ms: 'Arab BN SG',
  mt: 'MT',
  nb: 'NO',
  ne: 'IN',
  nl: 'BE SR',
  nn: 'NO',
  no: 'NO',
  pa: 'Arab Guru PK',
  ps: 'PK',
  pt: 'AO BR CV MO MZ PT',
  qu: 'BO EC',
  ro: 'MD',
  ru: 'BY KG KZ UA',
  sd: 'Arab Deva',
  so: 'ET KE',
  sq: 'MK XK',
  sr: 'BA Cyrl Cyrl-RS Latn Latn-RS ME',
  sv: 'FI',
  sw: 'CD KE UG',
  ta: 'LK SG',
  ti: 'ER',
  tl: 'PH',
  tr: 'CY',
  tt: 'RU',
  ug: 'CN',
  ur: 'IN',
  uz: 'Arab Cyrl Latn',
  yue: 'Hans Hant',
  zh: 'CN HK Hans-CN Hans-HK Hans-SG Hant-HK Hant-MO Hant-TW Hans Hant MO SG TW',
};

/**
 * A language has its default region listed if CLDR covers it fully or, with a two-letter code, it is among this many
 * by speakers.
 */
const LARGEST = 100;

/** Names that CLDR lacks. */
const OWN_NAMES: Readonly<Record<string, string>> = { bh: 'Bihari' };

/** Where CLDR's long name of a region would read badly in parentheses, its short one is taken. */
const SHORT_REGIONS = new Set(['HK', 'MM', 'MO', 'PS']);

/**
 * CLDR says what to write today in place of a code, which isn't always the two-letter code that ISO 639-2 pairs with
 * it: it folds Bihari into Bhojpuri, Tagalog into Filipino and Twi into Akan, all of which have codes of their own in
 * ISO.
 */
const ISO_PAIRS: Readonly<Record<string, string>> = { bih: 'bh', tgl: 'tl', twi: 'tw' };

/**
 * Listed by CLDR beside them, but no codes of ISO 639-2: `hbs`, `prs` and `swc` belong to ISO 639-3 alone, and `mol`
 * was withdrawn in 2008. (Norwegian needs no hand: nor, nob and nno are three codes in both, as are their two-letter
 * ones.)
 */
const NOT_ISO_639_2 = new Set(['hbs', 'mol', 'prs', 'swc']);

const LINE = 118;

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function fail(message: string): never {
  throw new Error(message);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function read(directory: string, file: string, ...path: string[]): Record<string, unknown> {
  let value: unknown = JSON.parse(readFileSync(join(directory, file), 'utf8'));
  for (const key of path) value = isRecord(value) ? value[key] : undefined;
  return isRecord(value) ? value : fail(`${file} has no object at ${path.join('.')}`);
}

function text(record: Record<string, unknown>, key: string): string {
  const value = record[key];
  return typeof value === 'string' ? value : fail(`CLDR has no entry for ${key}`);
}

/** Language codes by number of speakers, the scripts of a language taken together, largest first. */
function bySpeakers(core: string): string[] {
  const speakers = new Map<string, number>();
  for (const territory of Object.values(
    read(core, 'supplemental/territoryInfo.json', 'supplemental', 'territoryInfo'),
  )) {
    if (!isRecord(territory) || !isRecord(territory['languagePopulation'])) continue;
    for (const [code, share] of Object.entries(territory['languagePopulation'])) {
      const language = code.split('_')[0] ?? code;
      const people = isRecord(share)
        ? (Number(territory['_population']) * Number(share['_populationPercent'])) / 100
        : fail(code);
      speakers.set(language, (speakers.get(language) ?? 0) + people);
    }
  }
  return [...speakers].sort((a, b) => b[1] - a[1]).map(([language]) => language);
}

/** Every code the catalogue is to have, in the order in which new ids are given out. */
function wantedCodes(core: string): string[] {
  const bare = new Set([...TWO_LETTER, ...THREE_LETTER]);
  const codes = new Set([...FIXED.keys(), ...bare]);
  for (const [language, forms] of Object.entries(FORMS)) {
    for (const form of words(forms)) codes.add(`${language}-${form}`);
  }
  const likely = read(core, 'supplemental/likelySubtags.json', 'supplemental', 'likelySubtags');
  const coverage = read(core, 'coverageLevels.json', 'coverageLevels');
  const covered = Object.keys(coverage).filter((language) => coverage[language] === 'modern');
  const largest = bySpeakers(core).slice(0, LARGEST);
  for (const language of [...covered, ...largest.filter((code) => code.length === 2)]) {
    if (!bare.has(language)) continue;
    const region = text(likely, language).split('-')[2] ?? '';
    if (/^[A-Z]{2}$/.test(region)) codes.add(`${language}-${region}`);
  }
  return [...codes].sort();
}

/** Makes the English name of a code: 'Serbian (Latin, Serbia)'. */
function namer(names: string): (code: string) => string {
  const part = (file: string, key: string) =>
    read(names, `main/en/${file}.json`, 'main', 'en', 'localeDisplayNames', key);
  const languages = part('languages', 'languages');
  const scripts = part('scripts', 'scripts');
  const regions = part('territories', 'territories');
  return (code) => {
    const [language = '', ...rest] = code.split('-');
    const qualifiers = rest.map((subtag) => {
      if (subtag.length === 4) return text(scripts, subtag);
      return text(regions, SHORT_REGIONS.has(subtag) ? `${subtag}-alt-short` : subtag);
    });
    const name = OWN_NAMES[language] ?? text(languages, language);
    // The CLDR rule for names within a name: their parentheses become brackets.
    const inner = qualifiers.join(', ').replaceAll('(', '[').replaceAll(')', ']');
    return inner === '' ? name : `${name} (${inner})`;
  };
}

/** The rows there are, untouched, and after them one for each code that has none yet. */
function catalogue(codes: readonly string[], nameOf: (code: string) => string): Language[] {
  const known = new Map(LANGUAGES.map((language) => [language.langCode, language]));
  for (const [code, id] of FIXED) {
    const row = known.get(code);
    if (row !== undefined && row.id !== id) fail(`${code} must keep the id ${id}`);
  }
  let next = Math.max(FIRST_OWN_ID - 1, ...LANGUAGES.map((language) => language.id)) + 1;
  const added = codes
    .filter((code) => !known.has(code))
    .map((code) => ({ id: FIXED.get(code) ?? next++, langCode: code, descriptiveName: nameOf(code) }));
  const rows = [...LANGUAGES, ...added].sort((a, b) => a.id - b.id);
  if (new Set(rows.map((row) => row.id)).size !== rows.length) fail('an id is given twice');
  if (new Set(rows.map((row) => row.langCode.toLowerCase())).size !== rows.length) fail('a code is given twice');
  return rows;
}

/** The pairs 'deu:de', 'ger:de' and so on. */
function isoPairs(core: string): string[] {
  const pairs = new Map<string, string>();
  const aliases = read(core, 'supplemental/aliases.json', 'supplemental', 'metadata', 'alias', 'languageAlias');
  let bibliographic = 0;
  for (const [code, alias] of Object.entries(aliases)) {
    if (!isRecord(alias) || !/^[a-z]{3}$/.test(code) || NOT_ISO_639_2.has(code)) continue;
    const reason = alias['_reason'];
    if (reason !== 'overlong' && reason !== 'bibliographic') continue;
    if (reason === 'bibliographic') bibliographic++;
    pairs.set(code, ISO_PAIRS[code] ?? text(alias, '_replacement'));
  }
  const named = new Set(pairs.values());
  const missing = TWO_LETTER.filter((code) => !named.has(code));
  const surplus = [...named].filter((code) => !TWO_LETTER.includes(code));
  if (missing.length > 0 || surplus.length > 0) {
    fail(
      `the ISO 639 pairs lack ${missing.join(' ') || 'nothing'} and have ${surplus.join(' ') || 'nothing'} too many`,
    );
  }
  if (bibliographic !== 20 || pairs.size !== TWO_LETTER.length + bibliographic) fail('the ISO 639 pairs do not add up');
  return [...pairs].map(([three, two]) => `${three}:${two}`).sort();
}

function quote(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** Joins words into lines of at most `LINE` characters. */
function wrap(list: readonly string[]): string {
  const lines: string[] = [];
  let line = '';
  for (const word of list) {
    if (line !== '' && line.length + 1 + word.length > LINE) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}

function main(core: string | undefined, names: string | undefined): void {
  if (core === undefined || names === undefined) {
    fail('usage: node scripts/languages.ts <dir of cldr-core> <dir of cldr-localenames-full>');
  }
  const version = text(read(core, 'package.json'), 'version');
  const rows = catalogue(wantedCodes(core), namer(names));
  const pairs = isoPairs(core);
  const licence = readFileSync(join(core, 'LICENSE'), 'utf8').trim().split(/\r?\n/);
  const target = join(import.meta.dirname, '../lib/contract');
  writeFileSync(
    join(target, 'languages.data.ts'),
    [
      '// Made by scripts/languages.ts, not by hand. A row once here keeps its id and code; new ones are only appended.',
      `// The names are those of Unicode CLDR (last run: ${version}), whose licence stands at the end.`,
      '',
      '/** A language of the catalogue. */',
      'export interface Language {',
      '  readonly id: number;',
      '  readonly langCode: string;',
      '  readonly descriptiveName: string;',
      '}',
      '',
      '/** The catalogue, in order of id. */',
      'export const LANGUAGES: readonly Language[] = [',
      ...rows.map(
        ({ id, langCode, descriptiveName }) =>
          `  { id: ${id}, langCode: ${quote(langCode)}, descriptiveName: ${quote(descriptiveName)} },`,
      ),
      '];',
      '',
      ...licence.map((line) => `// ${line}`.trimEnd()),
      '',
    ].join('\n'),
  );
  writeFileSync(
    join(target, 'iso639.data.ts'),
    [
      `// Made by scripts/languages.ts from Unicode CLDR ${version}, not by hand; its licence stands in languages.data.ts.`,
      '',
      '/** Each three-letter code of ISO 639-2, terminological and bibliographic, that has a two-letter one in ISO 639-1. */',
      'export const ISO_639_2_TO_1 = `',
      wrap(pairs),
      '`;',
      '',
    ].join('\n'),
  );
  console.log(`${rows.length} languages (${rows.length - LANGUAGES.length} new), ${pairs.length} three-letter codes`);
}

main(process.argv[2], process.argv[3]);

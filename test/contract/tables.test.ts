import { expect, it } from 'vitest';
import { LanguageNote, ProjectRequest, Segment, TargetLanguage, TeamMember } from '../../lib/contract/project.ts';
import { EXTENSIONS, TABLES } from './tables.ts';

it.each([
  ['', ProjectRequest],
  ['/targetLanguages/0', TargetLanguage],
  ['/targetLanguages/0/team/0', TeamMember],
  ['/segments/0', Segment],
  ['/segments/0/languageSpecificNotes/0', LanguageNote],
] as const)('the tables have every field of the schema at "%s"', (place, { shape }) => {
  const rows = [...TABLES, ...EXTENSIONS].flatMap(({ pointer, rows }) => (pointer === place ? rows : []));
  expect(rows.map(({ field }) => field).sort()).toEqual(Object.keys(shape).sort());
});

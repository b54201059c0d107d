import { allLanguages } from '../../lib/contract/languages.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { type JsonObject, smallProject } from '../../test/support/projects.ts';

/** Projects at the limits of the contract, by names. Each is the dearest input of some operation. */
export const SHAPES = {
  'own tasks': () =>
    projectOf(
      4,
      segmentsOf((n) => ({ taskId: `task-${n}` })),
    ),
  'shared tasks': () =>
    projectOf(
      150,
      segmentsOf((n) => ({ taskId: `task-${n % 1_333}` })),
    ),
  'long texts': () =>
    projectOf(
      150,
      segmentsOf((n) => ({ taskId: `task-${n % 1_333}`, content: random(980) }), 4_000),
    ),
  '500 segments': () => projectOf(150, segmentsOf(undefined, 500)),
  'no tasks': () => projectOf(150, segmentsOf()),
  'two tasks': () => ({
    ...projectOf(
      150,
      segmentsOf((n) => (n % 2 ? { taskId: 'odd' } : {})),
    ),
    taskId: 'x'.repeat(1_000),
  }),
  '4 MiB': () =>
    projectOf(
      4,
      segmentsOf((n) => ({ customId: `${n}`, content: random(50) })),
    ),
  notes: () => projectOf(1, segmentsOf(notes, 930)),
  teams: () => ({ ...projectOf(150, segmentsOf(undefined, 1)), targetLanguages: targets(150, teamOf(50)) }),
} satisfies Readonly<Record<string, () => JsonObject>>;

export type Shape = keyof typeof SHAPES;

function projectOf(languages: number, segments: JsonObject[]): JsonObject {
  return smallProject({ targetLanguages: targets(languages), segments });
}

function targets(count: number, fields: JsonObject = {}): JsonObject[] {
  const source = smallProject()['sourceLanguageCode'];
  return allLanguages()
    .filter(({ langCode }) => langCode !== source)
    .slice(0, count)
    .map(({ langCode }) => ({ targetLanguageCode: langCode, ...fields }));
}

function segmentsOf(fields: (n: number) => JsonObject = () => ({}), count: number = LIMITS.segments): JsonObject[] {
  return Array.from({ length: count }, (_, n) => ({ content: `text ${n}`, ...fields(n) }));
}

function notes(): JsonObject {
  return { languageSpecificNotes: Array.from({ length: 200 }, () => ({ languageCode: 'de' })) };
}

function teamOf(count: number): JsonObject {
  const member = (n: number) => ({ id: n + 1, name: random(20), username: `${n}@example.com`, isTranslator: true });
  return { team: Array.from({ length: count }, (_, n) => member(n)) };
}

/** Returns a text that compresses badly. */
function random(length: number): string {
  return Array.from({ length }, () => Math.floor(Math.random() * 36).toString(36)).join('');
}

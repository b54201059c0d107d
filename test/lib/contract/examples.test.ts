import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { LanguageNote, ProjectRequest, Segment, TargetLanguage, TeamMember } from '../../../lib/contract/project.ts';
import { LanguageChange, TranslationEntry, TranslationsRequest } from '../../../lib/contract/translations.ts';

const SHAPES = { ProjectRequest, TargetLanguage, TeamMember, Segment, LanguageNote, TranslationEntry, LanguageChange };
const fields = Object.entries(SHAPES).flatMap(([name, { shape }]) =>
  Object.entries<z.ZodMiniType>(shape).map(([field, schema]) => [`${name}.${field}`, schema] as const),
);

it.each<readonly [string, z.ZodMiniType]>([...fields, ['TranslationsRequest', TranslationsRequest]])(
  'the example of %s is valid',
  (_, schema) => {
    const { examples } = z.object({ examples: z.tuple([z.unknown()]) }).parse(z.globalRegistry.get(schema));
    expect(schema.safeParse(examples[0])).toMatchObject({ success: true, data: examples[0] });
  },
);

import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { FaultAnswer } from '../../lib/contract/answers.ts';
import { translationFaults } from '../../lib/contract/translation-faults.ts';
import { TRANSLATION_STATUSES, WRITABLE_STATUSES } from '../../lib/contract/translation-status.ts';
import { checkLanguageChange, checkTranslations, WrittenTranslation } from '../../lib/contract/translations.ts';
import { blocks, groupOf, optionsOf, read } from './world.ts';

const PAGE = read('docs/translations.md');

it('docs/translations.md shows bodies and answers that follow the contract', () => {
  const [writing = '', changing = ''] = blocks(PAGE, 'sh').map((command) => /-d '([^']+)'/.exec(command)?.[1]);
  expect(checkTranslations(JSON.parse(writing))).toHaveLength(1);
  expect(checkLanguageChange(JSON.parse(changing))).toEqual({ state: 'InProgress' });
  const [answer = '', repeated = '', fault = ''] = blocks(PAGE, 'json');
  expect(z.array(WrittenTranslation).parse(JSON.parse(answer))).toMatchObject(JSON.parse(writing));
  expect(checkTranslations(JSON.parse(repeated))).toMatchObject([{ ifVersion: 1 }]);
  expect(FaultAnswer.parse(JSON.parse(fault))).toEqual(translationFaults.otherVersion(0, 2));
});

it('docs/translations.md has every status in its order, and the options of the command', () => {
  const all = TRANSLATION_STATUSES.map((status) => `\`${status}\``);
  expect(PAGE.replaceAll(/\s+/g, ' ')).toContain(`the order is: ${all.join(', ')}.`);
  for (const status of WRITABLE_STATUSES) expect(PAGE).toContain(`\`${status}\``);
  const command = groupOf('language');
  for (const option of ['--state', '--custom-id']) expect(optionsOf(command && [command])).toContain(option);
  expect(PAGE).toContain('npx --no-install segue language "$PROJECT_ID" de-DE --state InProgress');
});

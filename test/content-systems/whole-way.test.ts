import { it } from 'vitest';
import { followPage } from './follow-page.ts';
import { translationOf } from './translations.ts';

// The tests of engines follow a page of each system with a real engine, and those of faults with faults on the way.
it('the translations of a page come back into Strapi', () =>
  followPage('strapi', {
    first: { title: 'Opening hours', body: 'We are open from 9 to 5' },
    second: { title: 'Opening hours', body: 'We are open from 8 to 6' },
    translationOf,
  }));

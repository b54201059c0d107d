import { expect, it } from 'vitest';
import { apiReport } from '../../tools/packages/api-report.ts';
import { TYPED_PACKAGES } from '../../tools/packages/declarations.ts';
import { read } from '../docs/world.ts';

it.each(TYPED_PACKAGES)('the types of segue-%s are those of its api.md, which `npm run api` writes', (name) => {
  expect(apiReport(name)).toBe(read(`packages/${name}/api.md`));
});

import { describe } from 'vitest';
import { api } from './suites/api.ts';
import { functions } from './suites/functions.ts';
import { stores } from './suites/stores.ts';
import { synthesise } from './synthesise.ts';

// once for all suites, as it costs seconds; a finding of the library's validation or of cdk-nag fails it with a report
const template = await synthesise();

describe('the API', () => api(template));
describe('the functions', () => functions(template));
describe('the stores', () => stores(template));

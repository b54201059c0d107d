import { describe } from 'vitest';
import { SERVICES } from '../../infra/functions/catalogue.ts';
import { alarms } from './suites/alarms.ts';
import { api } from './suites/api.ts';
import { background } from './suites/background.ts';
import { functions } from './suites/functions.ts';
import { logLines } from './suites/log-lines.ts';
import { outputs } from './suites/outputs.ts';
import { standing } from './suites/standing.ts';
import { stores } from './suites/stores.ts';
import { synthesise } from './synthesise.ts';

// once for all suites, as it costs seconds; a finding of the library's validation or of cdk-nag fails it with a report
for (const service of SERVICES) {
  const template = await synthesise(service);

  describe(service, () => {
    describe('the API', () => api(template));
    describe('the functions', () => functions(template, service));
    describe('the stores', () => stores(template, service));
    describe('behind the API', () => background(template, service));
    describe('the alarms', () => alarms(template, service));
    describe('what is counted in logs', () => logLines(template, service));
    describe('the outputs', () => outputs(template, service));
    describe('what it costs when nobody uses it', () => standing(template, service));
  });
}

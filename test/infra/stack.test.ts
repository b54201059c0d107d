import { describe } from 'vitest';
import { SERVICES } from '../../infra/functions/function-spec.ts';
import { alarms } from './suites/alarms.ts';
import { alerts } from './suites/alerts.ts';
import { api } from './suites/api.ts';
import { background } from './suites/background.ts';
import { firewall } from './suites/firewall.ts';
import { functions } from './suites/functions.ts';
import { queries } from './suites/queries.ts';
import { rollout } from './suites/rollout.ts';
import { stores } from './suites/stores.ts';
import { synthesise } from './synthesise.ts';

// All suites share one synthesis, because it takes seconds.
for (const service of SERVICES) {
  const template = await synthesise(service);

  describe(service, () => {
    describe('the API', () => api(template));
    describe('the firewall', () => firewall(template));
    describe('the functions', () => functions(template, service));
    describe('the stores', () => stores(template, service));
    describe('the background functions', () => background(template, service));
    describe('the rollout', () => rollout(template, service));
    describe('the alarms', () => alarms(template, service));
    describe('the saved queries', () => queries(template));
    describe('the alerts', () => alerts(template, service));
  });
}

import { httpFunction } from '../lib/http/http-function.ts';
import { getDescription } from '../lib/operations/get-description.ts';
import { getProblemType } from '../lib/operations/get-problem-type.ts';
import { getReference } from '../lib/operations/get-reference.ts';
import { getReferenceFile } from '../lib/operations/get-reference-file.ts';
import { getSecurityText } from '../lib/operations/get-security-text.ts';
import { health } from '../lib/operations/health.ts';
import { listLanguages } from '../lib/operations/list-languages.ts';
import { listProblemTypes } from '../lib/operations/list-problem-types.ts';
import { ROUTES } from '../lib/operations/routes.ts';
import { securityContact, switchedOff } from './compose/environment.ts';

const options = { now: Date.now };

export const handler = httpFunction([
  listLanguages(options),
  health(options),
  listProblemTypes(options),
  getProblemType(ROUTES, options),
  getDescription(ROUTES, { ...options, switchedOff: switchedOff() }),
  getReference(options),
  getReferenceFile(options),
  getSecurityText(securityContact(), options),
]);

import { httpFunction } from '../lib/http/http-function.ts';
import { getDescription } from '../lib/http/operations/get-description.ts';
import { getProblemType } from '../lib/http/operations/get-problem-type.ts';
import { getReference } from '../lib/http/operations/get-reference.ts';
import { getReferenceFile } from '../lib/http/operations/get-reference-file.ts';
import { getSecurityText } from '../lib/http/operations/get-security-text.ts';
import { health } from '../lib/http/operations/health.ts';
import { listLanguages } from '../lib/http/operations/list-languages.ts';
import { listProblemTypes } from '../lib/http/operations/list-problem-types.ts';
import { securityContact, switchedOff } from './compose/settings.ts';

const options = { now: Date.now };

export const handler = httpFunction('pages', {
  listLanguages: listLanguages(options),
  health: health(options),
  listProblemTypes: listProblemTypes(options),
  getProblemType: getProblemType(options),
  getDescription: getDescription({ ...options, switchedOff: switchedOff() }),
  getReference: getReference(options),
  getReferenceFile: getReferenceFile(options),
  getSecurityText: getSecurityText(securityContact(), options),
});

import { Ajv2020 } from 'ajv/dist/2020.js';
import openApi from '../../lib/contract/openapi.json' with { type: 'json' };

/** Judges values by a schema of the API's description, as a program does that has nothing else. */
export function describedBy(schema: object): (value: unknown) => boolean {
  const local = JSON.stringify({ ...schema, $defs: openApi.components.schemas });
  // JSON Schema 2020-12 has formats as annotations: only the patterns count
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const validate = ajv.compile(JSON.parse(local.replaceAll('#/components/schemas/', '#/$defs/')));
  return (value) => validate(value) === true;
}

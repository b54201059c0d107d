import { Ajv2020 } from 'ajv/dist/2020.js';
import openApi from '../../lib/contract/openapi.json' with { type: 'json' };

/** Returns a validator of values for a schema of the API description. */
export function describedBy(schema: object): (value: unknown) => boolean {
  const local = JSON.stringify({ ...schema, $defs: openApi.components.schemas });
  // In JSON Schema 2020-12, formats are only annotations, so only patterns count.
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const validate = ajv.compile(JSON.parse(local.replaceAll('#/components/schemas/', '#/$defs/')));
  return (value) => validate(value) === true;
}

import { Ajv2020 } from 'ajv/dist/2020.js';
import openApi from '../../lib/contract/openapi.json' with { type: 'json' };
import { fieldsOf } from '../../lib/contract/pointer.ts';

/** The extensions of the description that say how many of some fields an object has. `null` counts as absent. */
const FIELD_RULES: readonly (readonly [keyword: string, isRight: (present: number) => boolean])[] = [
  ['x-any-of-required', (present) => present >= 1],
  ['x-one-of-required', (present) => present === 1],
];

/** Returns a validator of values for a schema of the API description. */
export function describedBy(schema: object): (value: unknown) => boolean {
  const local = JSON.stringify({ ...schema, $defs: openApi.components.schemas });
  // In JSON Schema 2020-12, formats are only annotations, so only patterns count.
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  for (const [keyword, isRight] of FIELD_RULES) {
    ajv.addKeyword({
      keyword,
      validate: (names: readonly string[], value: unknown) => {
        const fields = fieldsOf(value) ?? {};
        return isRight(names.filter((name) => (fields[name] ?? null) !== null).length);
      },
    });
  }
  const validate = ajv.compile(JSON.parse(local.replaceAll('#/components/schemas/', '#/$defs/')));
  return (value) => validate(value) === true;
}

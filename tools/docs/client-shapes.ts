import * as z from 'zod';
import { clientTypeOf, Schema } from './client-types.ts';
import { type JsonSchema, namedSchemas } from './openapi/schemas.ts';

/** The schemas whose fields an upstream service may leave out, each after those that it contains. */
const CHECKED = [
  'TeamMember',
  'TargetLanguage',
  'Segment',
  'Project',
  'Translation',
  'TranslatedSegment',
  'LanguageProgress',
  'TaskProgress',
  'Assignee',
  'Progress',
];
/** Those that the client checks; the others are parts of them. */
const EXPORTED = ['Project', 'TranslatedSegment', 'Progress'];

const SHAPES: Readonly<Record<string, string>> = { string: 'string', integer: 'integer', boolean: 'boolean' };

/** Returns `packages/client/wire-shapes.ts`: checks of the fields of projects, as the API description has them. */
export function clientShapes(): string {
  const schemas = namedSchemas();
  const shapes = CHECKED.map((name) => {
    const { properties = {}, required } = Schema.parse(schemas[name]);
    const fields = Object.entries(properties).map(([field, property]) => {
      const shape = shapeOf(property);
      const isAny = required.includes(field) || shape === 'anything';
      return `  ${field}: ${isAny ? shape : absentable(shape)},\n`;
    });
    const declared = `const ${constantOf(name)} = object<${clientTypeOf(name)}>({\n${fields.join('')}});\n`;
    return EXPORTED.includes(name) ? `export ${declared}` : declared;
  });
  const text = shapes.join('\n');
  const used = ['anything', 'boolean', 'integer', 'listOf', 'nullish', 'object', 'optional', 'string'].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(text),
  );
  const types = CHECKED.map(clientTypeOf).sort();
  return [
    '// Made by `npm run docs` from the schemas in `lib/contract`.\n',
    `import {\n${used.map((shape) => `  ${shape},\n`).join('')}} from '../../lib/service/http-client/shapes.ts';`,
    `import type {\n${types.map((type) => `  ${type},\n`).join('')}} from './wire-types.ts';\n`,
    text,
  ].join('\n');
}

const NULLABLE = /^nullable\((.*)\)$/s;

/** Returns the shape of a field that may be absent. */
function absentable(shape: string): string {
  const [, inner] = NULLABLE.exec(shape) ?? [];
  return inner === undefined ? `optional(${shape})` : `nullish(${inner})`;
}

function shapeOf(schema: JsonSchema): string {
  const { $ref, type, anyOf, items } = Schema.parse(schema);
  if ($ref !== undefined) return constantOf($ref.split('/').at(-1) ?? '');
  const options = anyOf ?? (Array.isArray(type) ? type.map((each) => ({ type: each })) : undefined);
  if (options) {
    const shapes = options.filter((option) => option['type'] !== 'null').map(shapeOf);
    if (shapes.includes('anything')) return 'anything';
    const [shape] = z.tuple([z.string()]).parse(shapes);
    return `nullable(${shape})`;
  }
  if (type === 'array') return `listOf(${items ? shapeOf(items) : 'anything'})`;
  if (type === undefined) return 'anything';
  const shape = SHAPES[String(type)];
  if (shape === undefined) throw new RangeError(`The client has no shape for the type ${type}`);
  return shape;
}

function constantOf(name: string): string {
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}Shape`;
}

import * as z from 'zod';
import { docsOf, ROUTES } from '../../lib/operations/routes.ts';
import { clientTypeOf, hasClientType, literal, Schema } from './client-types.ts';
import { type JsonSchema, namedSchemas, schemaOf } from './openapi/schemas.ts';

const SHAPES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
};
/** The fields whose lists of values a newer version of Segue may extend. */
const EXTENDED = ['kind', 'role', 'state', 'status', 'type'];
/** The answer of which the client checks less: a service may give its fields other types. */
const PART_ONLY = 'TargetLanguage';

/** Returns `packages/client/wire-shapes.ts`: checks of the fields of answers, as the API description has them. */
export function clientShapes(): string {
  const schemas = namedSchemas();
  const answers = new Set(ROUTES.flatMap(({ id }) => docsOf(id).answers.flatMap(({ schema }) => nameIn(schema) ?? [])));
  const checked = new Set<string>();
  for (const name of answers) addWithParts(name, schemas, checked);
  const declared = Array.from(checked, (name) => {
    const isExported = answers.has(name) && name !== PART_ONLY;
    const constant = `const ${constantOf(name)} = ${objectOf(schemas[name] ?? {}, clientTypeOf(name), '')};\n`;
    return { name, text: isExported ? `export ${constant}` : constant, isExported };
  });
  // A field of any type leaves the shape of its parts unused.
  const isUsed = (name: string) =>
    declared.some(({ name: of, text }) => of !== name && text.includes(constantOf(name)));
  const kept = declared.filter(({ name, isExported }) => isExported || isUsed(name));
  const text = kept.map((each) => each.text).join('\n');
  const used = (names: readonly string[]) => names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).sort();
  const shapes = used([
    'anything',
    'listOf',
    'nullable',
    'nullish',
    'object',
    'oneOf',
    'openEnum',
    'optional',
    ...Object.values(SHAPES),
  ]);
  const types = kept.map(({ name }) => clientTypeOf(name)).sort();
  return [
    '// Made by `npm run docs` from the schemas in `lib/contract`.\n',
    `import {\n${shapes.map((shape) => `  ${shape},\n`).join('')}} from '../../lib/service/http-client/shapes.ts';`,
    `import type {\n${types.map((type) => `  ${type},\n`).join('')}} from './wire-types.ts';\n`,
    text,
  ].join('\n');
}

/** Returns the name of an answer's schema, or of its elements, if the client has a type for it. */
function nameIn(schema: z.core.$ZodType | null): string | undefined {
  const { $ref, items } = schema ? Schema.parse(schemaOf(schema)) : {};
  const name = nameOf($ref ?? Schema.parse(items ?? {}).$ref);
  return name !== undefined && hasClientType(name) ? name : undefined;
}

/** Adds a schema to a list, after those that it contains. */
function addWithParts(name: string, schemas: Readonly<Record<string, JsonSchema>>, list: Set<string>): void {
  const refs = JSON.stringify(schemas[name]).matchAll(/"\$ref":"([^"]+)"/g);
  for (const [, ref] of refs) addWithParts(nameOf(ref) ?? '', schemas, list);
  list.add(name);
}

function nameOf($ref: string | undefined): string | undefined {
  return $ref?.split('/').at(-1);
}

/** Returns the shape of an object. @param type its type */
function objectOf(schema: JsonSchema, type: string, indent: string): string {
  const { properties = {}, required } = Schema.parse(schema);
  const fields = Object.entries(properties).map(([field, property]) => {
    const inner = `${indent}  `;
    const { properties: isObject } = Schema.parse(property);
    const shape = isObject ? objectOf(property, `${type}['${field}']`, inner) : shapeOf(property, field);
    const isAny = required.includes(field) || shape === 'anything';
    return `${inner}${field}: ${isAny ? shape : absentable(shape)},\n`;
  });
  return `object<${type}>({\n${fields.join('')}${indent}})`;
}

const NULLABLE = /^nullable\((.*)\)$/s;

/** Returns the shape of a field that may be absent. */
function absentable(shape: string): string {
  const [, inner] = NULLABLE.exec(shape) ?? [];
  return inner === undefined ? `optional(${shape})` : `nullish(${inner})`;
}

function shapeOf(schema: JsonSchema, field: string): string {
  const { $ref, type, anyOf, items, enum: values, ...rest } = Schema.parse(schema);
  if ($ref !== undefined) return constantOf(nameOf($ref) ?? '');
  if (values) return EXTENDED.includes(field) ? 'openEnum()' : oneOf(values);
  if (rest.const !== undefined) return oneOf([rest.const]);
  const options = anyOf ?? (Array.isArray(type) ? type.map((each) => ({ type: each })) : undefined);
  if (options) {
    const shapes = options.filter((option) => option['type'] !== 'null').map((option) => shapeOf(option, field));
    if (shapes.includes('anything')) return 'anything';
    const [shape] = z.tuple([z.string()]).parse(shapes);
    return `nullable(${shape})`;
  }
  if (type === 'array') return `listOf(${items ? shapeOf(items, field) : 'anything'})`;
  if (type === undefined) return 'anything';
  const shape = SHAPES[String(type)];
  if (shape === undefined) throw new RangeError(`The client has no shape for the type ${type}`);
  return shape;
}

function oneOf(values: readonly unknown[]): string {
  return `oneOf(${values.map(literal).join(', ')})`;
}

function constantOf(name: string): string {
  const type = clientTypeOf(name);
  return `${type.charAt(0).toLowerCase()}${type.slice(1)}Shape`;
}

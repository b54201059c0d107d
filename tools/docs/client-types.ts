import * as z from 'zod';
import { docsOf, ROUTES } from '../../lib/operations/routes.ts';
import { type JsonSchema, namedSchemas } from './openapi/schemas.ts';

/**
 * The types that have another name in the client than in the API description; `null` for those that no method of the
 * client takes or returns.
 */
const NAMES: Readonly<Record<string, string | null>> = Object.assign(
  {},
  ...ROUTES.map(({ id }) => docsOf(id).clientTypes),
  { Problem: null, Fault: null },
);

export const Schema = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  anyOf: z.array(z.record(z.string(), z.unknown())).optional(),
  items: z.record(z.string(), z.unknown()).optional(),
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  required: z.array(z.string()).default([]),
  description: z.string().optional(),
});

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** Returns `packages/client/wire-types.ts`: the schemas of the API description as interfaces, so that the client needs no schema library. */
export function clientTypes(): string {
  const schemas = Object.entries(namedSchemas()).filter(([name]) => hasClientType(name));
  const interfaces = schemas.map(([name, json]) => {
    const schema = Schema.parse(json);
    return `${comment(schema.description ?? `The type \`${name}\` of the API description.`, '')}export interface ${clientTypeOf(name)} ${fieldsOf(schema, '')}\n`;
  });
  return `// Made by \`npm run docs\` from the schemas in \`lib/contract\`.\n\n${interfaces.join('\n')}`;
}

function fieldsOf({ properties = {}, required }: z.infer<typeof Schema>, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, property]) => {
    const { description } = Schema.parse(property);
    const isRequired = required.includes(name);
    const type = typeOf(property, inner);
    const orAbsent = isRequired || type === 'unknown' ? '' : ' | undefined';
    return `${description ? comment(description, inner) : ''}${inner}readonly ${name}${isRequired ? '' : '?'}: ${type}${orAbsent};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

function typeOf(schema: JsonSchema, indent: string): string {
  const { $ref, type, anyOf, items, properties, ...rest } = Schema.parse(schema);
  if ($ref !== undefined) return nameOf($ref);
  if (rest.enum) return rest.enum.map((value) => literal(value)).join(' | ');
  if ('const' in rest && rest.const !== undefined) return literal(rest.const);
  if (anyOf) {
    const types = new Set(anyOf.map((each) => typeOf(each, indent)));
    return types.has('unknown') ? 'unknown' : [...types].join(' | ');
  }
  if (Array.isArray(type)) return type.map((each) => PLAIN[each]).join(' | ');
  if (type === 'array') return `readonly ${elementOf(items, indent)}[]`;
  if (type === 'object') return properties ? fieldsOf({ properties, ...rest }, indent) : 'object';
  return type === undefined ? 'unknown' : (PLAIN[type] ?? 'unknown');
}

function elementOf(items: JsonSchema | undefined, indent: string): string {
  const type = items ? typeOf(items, indent) : 'unknown';
  return type.includes(' ') && !type.startsWith('{') ? `(${type})` : type;
}

function nameOf($ref: string): string {
  return clientTypeOf($ref.split('/').at(-1) ?? '');
}

/** Whether the client has a type for a schema. */
export function hasClientType(name: string): boolean {
  return NAMES[name] !== null;
}

/** Returns the name of a schema's type in the client. */
export function clientTypeOf(name: string): string {
  const type = NAMES[name] === undefined ? name : NAMES[name];
  if (type === null) throw new RangeError(`The client has no type for the schema ${name}`);
  return type;
}

export function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

const WIDTH = 116;

function comment(text: string, indent: string): string {
  const one = `${indent}/** ${text} */`;
  if (one.length <= WIDTH) return `${one}\n`;
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (`${indent} * ${line} ${word}`.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

import * as z from 'zod/mini';
import { HMAC_ALGORITHMS, HMAC_ENCODINGS } from './hmac.ts';

import { HEADER_NAME, layoutOf, type Piece, piecesOf, placeOf } from './signed-text.ts';
import { NAMED_SCHEMES, type SchemeSettings as StoredSettings } from './stored-scheme.ts';
import { TIME_UNITS } from './time-units.ts';

/** The names of all schemes. */
export const SCHEME_NAMES = [...NAMED_SCHEMES, 'hmac', 'template', 'token'] as const;

const matching = (form: RegExp, what: string) => z.string().check(z.regex(form, what));

const Header = matching(HEADER_NAME, 'must be the name of a header, such as x-signature');
const PLACE = /^[a-z0-9][a-z0-9_-]{0,63}(?:#[A-Za-z][A-Za-z0-9_-]{0,31})?$/;
const Place = matching(PLACE, 'must be a header, such as x-signature, or a part of one, such as x-signature#v1');
const Prefix = z.optional(matching(/^[\x20-\x7e]{1,32}$/, 'must have 1 to 32 visible characters'));
const Parts = matching(
  /^[A-Za-z][A-Za-z0-9_-]{0,31}(?:(?:, ?|; ?)[A-Za-z][A-Za-z0-9_-]{0,31}){0,15}$/,
  'must be the keys of the parts as the sender orders and separates them, such as t,v1',
);
const FORM = { algorithm: z.enum(HMAC_ALGORITHMS), encoding: z.enum(HMAC_ENCODINGS) };

const Template = z
  .strictObject({
    name: z.literal('template'),
    template: z.string().check(z.minLength(1), z.maxLength(1_024, 'must have at most 1,024 characters')),
    signature: Place,
    ...FORM,
    prefix: Prefix,
    timestamp: z.optional(Place),
    timeUnit: z.optional(z.enum(TIME_UNITS)),
    id: z.optional(Place),
    parts: z.optional(Parts),
  })
  .check((context) => {
    for (const [option, message] of templateFaults(context.value))
      context.issues.push({ code: 'custom', path: [option], message, input: context.value });
  });

const Token = z
  .strictObject({
    name: z.literal('token'),
    header: z.optional(Header),
    prefix: Prefix,
    basic: z.optional(matching(/^[\x21-\x39\x3b-\x7e]{1,64}$/, 'must be a user name without a colon')),
    query: z.optional(
      matching(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, 'must be the name of a query parameter, such as token'),
    ),
  })
  .check((context) => {
    const { header, basic, query, prefix } = context.value;
    const add = (option: string, message: string) =>
      context.issues.push({ code: 'custom', path: [option], message, input: context.value });
    const places = [header, basic, query].filter((place) => place !== undefined).length;
    if (places !== 1) add('scheme', 'token needs exactly one of --header, --basic and --query');
    else if (prefix !== undefined && header === undefined) add('prefix', 'belongs to --header');
  });

const Hmac = z.strictObject({ name: z.literal('hmac'), header: Header, ...FORM, prefix: Prefix });

/** The settings of a new source's scheme, by the name of the scheme. The messages of faults follow the name of an option. */
const SETTINGS = { hmac: Hmac, template: Template, token: Token };

/** The options of the schemes with settings. */
export const SCHEME_OPTIONS = {
  hmac: { needs: ['header', 'algorithm', 'encoding'], takes: ['prefix'] },
  template: {
    needs: ['template', 'signature', 'algorithm', 'encoding'],
    takes: ['prefix', 'timestamp', 'timeUnit', 'id', 'parts'],
  },
  token: { needs: [], takes: ['header', 'prefix', 'basic', 'query'] },
} as const;

/** A fault of an option: the key of the option, and what is wrong with it. */
export interface OptionFault {
  readonly option: string;
  readonly message: string;
}

/** Parses the settings of a new source's scheme. @returns the settings, or every fault */
export function parseSettings(
  name: (typeof SCHEME_NAMES)[number],
  options: Readonly<Record<string, string>>,
): { readonly settings: StoredSettings } | { readonly faults: readonly OptionFault[] } {
  if (name !== 'hmac' && name !== 'template' && name !== 'token') {
    const faults = Object.keys(options).map((option) => ({ option, message: `does not belong to the scheme ${name}` }));
    return faults.length === 0 ? { settings: { name } } : { faults };
  }
  const { success, data, error } = z.safeParse<z.ZodMiniType<StoredSettings>>(SETTINGS[name], { name, ...options });
  if (success) return { settings: data };
  const { needs, takes } = SCHEME_OPTIONS[name];
  const known: readonly string[] = [...needs, ...takes];
  const foreign = Object.keys(options).filter((option) => !known.includes(option));
  if (foreign.length > 0)
    return { faults: foreign.map((option) => ({ option, message: `does not belong to the scheme ${name}` })) };
  return {
    faults: error.issues.map(({ path, message }) => {
      const option = String(path[0] ?? 'scheme');
      const isMissing = !(option in options) && needs.some((needed) => needed === option);
      return { option, message: isMissing ? 'is missing' : message };
    }),
  };
}

/** Yields the faults of a template's settings that a look at single options does not find. */
function* templateFaults({
  template,
  signature,
  timestamp,
  timeUnit,
  id,
  parts,
}: Extract<StoredSettings, { name: 'template' }>): Generator<[string, string]> {
  const unknown = /\{[a-z]+(?::[^{}\s]*)?\}/g;
  const pieces = piecesOf(template);
  const strange = pieces.flatMap((piece) => (piece.kind === 'text' ? [...piece.text.matchAll(unknown)] : []));
  if (strange.length > 0) yield ['template', `has the unknown field ${strange.join()}: ${FIELDS}`];
  const count = (...kinds: readonly Piece['kind'][]) => pieces.filter(({ kind }) => kinds.includes(kind)).length;
  if (count('body', 'json-body') !== 1) yield ['template', 'needs the field {body}, or {body:json}, once'];
  if (count('headers') > 1) yield ['template', 'may have {headers:<header>} only once'];
  const hasList = count('headers') === 1;
  for (const [option, kind, place] of [
    ['timestamp', 'timestamp', timestamp],
    ['id', 'id', id],
  ] as const) {
    if (count(kind) > 1) yield ['template', `may have {${kind}} only once`];
    if (count(kind) > 0 && place === undefined) yield [option, `must say where the {${kind}} of the template is`];
    if (count(kind) === 0 && place !== undefined && !hasList)
      yield ['template', `needs the field {${kind}}: otherwise the signature does not cover it`];
  }
  if (timestamp !== undefined && timeUnit === undefined) yield ['timeUnit', `must be one of ${TIME_UNITS.join(', ')}`];
  if (timestamp === undefined && timeUnit !== undefined) yield ['timeUnit', 'belongs to --timestamp'];
  if (pieces.some((piece, index) => isOpen(piece, pieces[index + 1])))
    yield ['template', 'needs a text between two fields. Only {timestamp} may stand directly beside the body'];
  const named = [
    signature,
    timestamp,
    id,
    ...pieces.flatMap((piece) => (piece.kind === 'header' ? [piece.place] : [])),
  ];
  const places = named.flatMap((place) =>
    place === undefined ? [] : [typeof place === 'string' ? placeOf(place) : place],
  );
  if (!places.every(({ header, part }) => PLACE.test(part === undefined ? header : `${header}#${part}`)))
    yield ['template', 'names a header that is not valid, such as {header:X}: write {header:x-topic}'];
  const keys = new Set(places.flatMap(({ part }) => part ?? []));
  const layout = new Set(parts === undefined ? [] : layoutOf(parts).keys);
  if (keys.size > 0 && (layout.size !== keys.size || [...keys].some((key) => !layout.has(key))))
    yield [
      'parts',
      `must have the keys ${[...keys].join(', ')}, as the sender orders and separates them, such as t,v1`,
    ];
  if (keys.size === 0 && parts !== undefined) yield ['parts', 'belongs to places such as x-signature#v1'];
}

const FIELDS =
  'the fields are {id}, {timestamp}, {body}, {body:json}, {method}, {path}, {header:<name>} and {headers:<name>}';

/** Whether two neighbours are fields that could exchange characters. */
function isOpen(piece: Piece, next: Piece | undefined): boolean {
  if (piece.kind === 'text' || next === undefined || next.kind === 'text') return false;
  const isBody = ({ kind }: Piece) => kind === 'body' || kind === 'json-body';
  const isTime = ({ kind }: Piece) => kind === 'timestamp';
  return !((isBody(piece) && isTime(next)) || (isTime(piece) && isBody(next)));
}

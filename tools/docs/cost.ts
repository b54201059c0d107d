import { DEFAULT_MEMORY_MB } from '../../infra/functions/capacity.ts';
import { CANARY_CHECKS, CANARY_MINUTES, type CanaryMode } from '../../lib/contract/canary.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { MAX_IN_TABLE_BYTES } from '../../lib/storage/dynamodb/payload.ts';
import { MAX_INSIDE_BYTES } from '../../lib/storage/port.ts';
import { fill } from './fill.ts';
import { DAYS, FIREWALL, FUNCTION_GIGABYTES, idleParts, idleUsd, LOGGED_BYTES } from './idle-costs.ts';
import { type Amounts, dollars, number, PRICES, priceText, total, usd } from './prices.ts';
import { table } from './table.ts';

/**
 * The sizes of a project that decide its cost, in bytes: the request's JSON, and in the store the record, the payload
 * and the record of the work on it. A payload of 1,024 bytes or more is compressed. A small one is inside the record, and
 * such a project has no record of the work before its first change.
 */
export interface SizedProject {
  readonly title: string;
  readonly bodyBytes: number;
  readonly recordBytes: number;
  readonly payloadBytes: number;
  readonly workBytes: number;
  readonly hasCustomId: boolean;
  /** Whether a target language is translated automatically. */
  readonly isAutomatic: boolean;
}

/** Example projects: `small`, and three projects of `test/data`. A test compares the sizes. */
export const PROJECTS = {
  small: project('small: one target language, one segment', [456, 188, 755, 230], {
    hasCustomId: false,
    isAutomatic: false,
  }),
  'ui-strings': project('`ui-strings`: 195 segments', [16_611, 1_154, 4_922, 541]),
  'udhr-html': project('`udhr-html`: 92 segments, 31 tasks', [18_586, 1_908, 5_915, 516]),
  'cldr-large': project('`cldr-large`: 29,484 segments, 52 tasks', [3_741_357, 2_189, 393_393, 467]),
} as const;
const LARGEST = project('largest: 4 MiB that gzip makes no smaller', [LIMITS.bodyBytes, 2_000, LIMITS.bodyBytes, 500]);

/**
 * The capacity of the table and the bucket that an operation uses. `objectPuts` counts PUT and LIST requests, which
 * cost the same.
 */
type Capacity = Readonly<Record<'writeUnits' | 'readUnits' | 'objectPuts' | 'objectGets', number>>;

/**
 * The assumed size of a small item in bytes. Events, tombstones, markers, custom ids, requests and keys are small
 * items. Each of them fits into one capacity unit.
 */
const SMALL_ITEM = 500;
/** How many bytes a record has in addition to its data. */
const AROUND_RECORD = 70;
/** How many bytes a payload's item has in addition to the payload. */
const AROUND_PAYLOAD = 150;

const units = (bytes: number, unit: number) => Math.max(1, Math.ceil(bytes / unit));
/**
 * Returns the capacity for writing items of these sizes in one transaction, which writes each item twice, in units of 1
 * KiB.
 */
const written = (...items: readonly number[]) => ({ writeUnits: total(items.map((bytes) => 2 * units(bytes, 1_024))) });
/** Returns the capacity for reading items of these sizes consistently, in units of 4 KiB. */
const read = (...items: readonly number[]) => ({ readUnits: total(items.map((bytes) => units(bytes, 4_096))) });

/**
 * The capacity for an event. Its record is written to the outbox and listed there. A move to the feed reads the feed's
 * end, writes the end and the event, and removes the record. The publisher reads the event.
 */
const FIRST_EVENT = sum(
  written(SMALL_ITEM, SMALL_ITEM, SMALL_ITEM, SMALL_ITEM),
  read(SMALL_ITEM, SMALL_ITEM, SMALL_ITEM),
);
/** The capacity for a later event of a project. A move checks that the event before has left the outbox. */
const EVENT = sum(FIRST_EVENT, read(SMALL_ITEM));
/** Bodies of this size are large for `lib/hosted/service.ts`, which counts segments and characters. */
const LARGE_BODY_BYTES = 120_000;
/** The capacity for an idempotency key. Its record is written with the result. */
const IDEMPOTENT = written(SMALL_ITEM);
const OBJECT_READ = sum({ objectGets: 1 });
const OBJECT_CREATED = sum(written(SMALL_ITEM, SMALL_ITEM), { objectPuts: 1 });
/**
 * The capacity for deleting an object, with the sweeper's work. The sweeper reads and claims the object's marker, lists
 * the object's versions before and after it deletes them, and removes the marker.
 */
const OBJECT_DELETED = sum(written(SMALL_ITEM, SMALL_ITEM, SMALL_ITEM), read(SMALL_ITEM, SMALL_ITEM), {
  objectPuts: 2,
});

const createCapacity = (sized: SizedProject) => {
  const job = sized.isAutomatic ? [SMALL_ITEM] : [];
  return sum(written(...itemsOf(sized), ...job), FIRST_EVENT, isObject(sized) ? OBJECT_CREATED : {});
};
const deleteCapacity = (sized: SizedProject) => {
  const { record, work } = sizesOf(sized);
  const [key, tombstone] = [SMALL_ITEM, SMALL_ITEM];
  const customIdTombstone = sized.hasCustomId ? [tombstone] : [];
  const items = written(...itemsOf(sized), key, tombstone, ...customIdTombstone);
  return sum(items, EVENT, read(record, ...work), isObject(sized) ? OBJECT_DELETED : {});
};

/** Returns the write units of a creation with a key in the partition of the company. */
export const companyWriteUnits = (sized: SizedProject) => {
  const { record, work } = sizesOf(sized);
  return written(record, ...work, ...(sized.hasCustomId ? [SMALL_ITEM] : [])).writeUnits + IDEMPOTENT.writeUnits;
};
/** The write units of an event in the partition of the company's events. */
export const EVENT_WRITE_UNITS = FIRST_EVENT.writeUnits;

/**
 * Functions that return the capacity of each operation, with the publication of its event and the work of the sweeper.
 * Retries and the work on translations are not included.
 */
export const OPERATIONS = {
  create: createCapacity,
  // The record of the key is read before a large project is encoded.
  'create with a key': (sized: SizedProject) =>
    sum(createCapacity(sized), IDEMPOTENT, sized.bodyBytes > LARGE_BODY_BYTES ? read(SMALL_ITEM) : {}),
  read: (sized: SizedProject) => {
    const { record, payload, work } = sizesOf(sized);
    return sum(read(record, ...payload, ...work), isObject(sized) ? OBJECT_READ : {});
  },
  // The first attempt prepares the smaller project, and the last one commits it, with a record of the work. Between them,
  // one holds the worker off if the worker has something to translate, and a job then removes the task's translations.
  // Each attempt after the first reads the state of the API key.
  'delete a task': (sized: SizedProject) => {
    const { record, payload, work } = sizesOf(sized);
    const job = SMALL_ITEM;
    const further = Array.from({ length: sized.isAutomatic ? 2 : 1 }, () => read(record, ...work, SMALL_ITEM));
    const hold = sized.isAutomatic ? written(...work, job) : {};
    const objects = isObject(sized) ? [OBJECT_READ, OBJECT_CREATED, OBJECT_DELETED] : [];
    const first = read(record, ...work, ...(payload.length > 0 ? [record, ...payload] : []));
    const changed = written(record, ...payload, sized.workBytes + AROUND_RECORD, SMALL_ITEM);
    return sum(first, ...further, hold, changed, EVENT, ...objects);
  },
  delete: deleteCapacity,
  'delete with a key': (sized: SizedProject) => sum(deleteCapacity(sized), IDEMPOTENT),
} as const;
export type CostedOperation = keyof typeof OPERATIONS;
const OPERATION_NAMES = Object.keys(OPERATIONS).filter((name): name is CostedOperation => name in OPERATIONS);

/**
 * The capacity for translating `cldr-large` into one language, with its events. A test compares it with what the worker
 * sends.
 */
export const TRANSLATED = { segments: 29_484, writeUnits: 456, readUnits: 106, objectPuts: 0, objectGets: 59 } as const;
/** The requests for a message in the queue of jobs: to send, to receive and to delete it. */
const REQUESTS_OF_MESSAGE = 3;

/** What translating costs with an engine. Only a deployment could measure how many segments a second it translates. */
interface CostedEngine {
  readonly name: string;
  /** How many characters of `cldr-large` the engine charges for, as docs/translation.md counts them. */
  readonly characters: number;
  readonly usdOfCharacter: number;
  readonly segmentsASecond: number;
  /** Whether the engine runs on a server of its own. */
  readonly hasServer: boolean;
}
/**
 * How many characters an engine charges for, by project: with placeholders as empty elements, and with placeholders that
 * it leaves alone. A test counts them.
 */
export const CHARACTERS = {
  'udhr-html': { plain: 10_546, marked: 10_546 },
  'cldr-large': { plain: 308_419, marked: 439_612 },
} as const;
const AMAZON_SEGMENTS_A_SECOND = 40;
/** DeepL's price list, as a developers' guide quotes it in 2026: API Pro, without the price of a month. */
const DEEPL_CHARACTER = 25e-6;
const ENGINES: readonly CostedEngine[] = [
  engine('`pseudo`', 10_000),
  engine('`apertium`', 100, { hasServer: true }),
  engine('`libretranslate`', 20, { hasServer: true }),
  engine('`deepl`', 400, { usdOfCharacter: DEEPL_CHARACTER }),
  engine('`amazon`', AMAZON_SEGMENTS_A_SECOND, {
    characters: CHARACTERS['cldr-large'].marked,
    usdOfCharacter: PRICES.translatedCharacter[0],
  }),
];

/** Returns the costs of translating a million segments in US dollars: of the engine, its server, the function, and the store. */
function translationCosts({ characters, usdOfCharacter, segmentsASecond, hasServer }: CostedEngine): number[] {
  const seconds = 1e6 / segmentsASecond;
  const projects = 1e6 / TRANSLATED.segments;
  return [
    projects * characters * usdOfCharacter,
    hasServer ? usd({ serverHour: seconds / 3_600 }) : 0,
    usd({ functionGigabyteSecond: seconds * FUNCTION_GIGABYTES }),
    projects *
      usd({
        writeUnit: TRANSLATED.writeUnits,
        readUnit: TRANSLATED.readUnits,
        objectPut: TRANSLATED.objectPuts,
        objectGet: TRANSLATED.objectGets,
        queueRequest: REQUESTS_OF_MESSAGE,
        functionRequest: 1,
      }),
  ];
}

/** A month with translation: projects of `udhr-html`, each translated into one language with Amazon Translate. */
const TRANSLATED_MONTH = { projects: 1_000, segments: 92, characters: CHARACTERS['udhr-html'].marked } as const;

/** Returns the costs of the month with translation in US dollars, by what they are for. */
function translatedMonth(): [part: string, usd: number][] {
  const { projects, segments, characters } = TRANSLATED_MONTH;
  const seconds = (projects * segments) / AMAZON_SEGMENTS_A_SECOND;
  const allCharacters = projects * characters;
  return [
    ['the idle stack', idleUsd('hosted', 'production')],
    ['its firewall', usd(FIREWALL.rate)],
    ['requests and keeping', (projects * total(exampleMonth(PROJECTS['udhr-html']))) / (DAYS * PROJECTS_A_DAY)],
    ['the function that translates', usd({ functionGigabyteSecond: seconds * FUNCTION_GIGABYTES })],
    [`Amazon Translate: ${number(allCharacters)} characters`, usd({ translatedCharacter: allCharacters })],
  ];
}

/** The assumed run times of functions, in milliseconds. Only a deployment on AWS could measure them. */
export const ASSUMED_MS = { authorizer: 10, request: 30, publisher: 20, megabyteOfBody: 60 };
const PROJECTS_A_DAY = 1_000;

/**
 * Returns what a request to the API costs in US dollars before any function does its work: API Gateway, the firewall,
 * the starts of functions, and all logs.
 * @param functions how many invocations the request causes, and how many of them write a line of their own
 */
export function callParts({ functions, lines }: { readonly functions: number; readonly lines: number }) {
  const bytes = LOGGED_BYTES.access + functions * LOGGED_BYTES.lambda + lines * LOGGED_BYTES.line;
  return {
    'API Gateway': usd({ gatewayRequest: 1 }),
    firewall: usd({ firewallRequest: 1 }),
    functions: usd({ functionRequest: functions }),
    logs: usd({ logGigabyte: bytes / 1e9 }),
  };
}

/** Returns the cost of one request in US dollars. */
function requestUsd(operation: CostedOperation, sized: SizedProject): number {
  return total(Object.values(requestParts(operation, sized)));
}

/** Returns the cost of one request in US dollars, by what it is for. The authorizer's result is not cached. */
export function requestParts(operation: CostedOperation, sized: SizedProject) {
  const { writeUnits, readUnits, objectPuts, objectGets } = OPERATIONS[operation](sized);
  const isChange = operation !== 'read';
  const isParsing = operation.startsWith('create') || operation === 'delete a task';
  const bodyMs = isParsing ? (sized.bodyBytes / 1e6) * ASSUMED_MS.megabyteOfBody : 0;
  const functionMs = ASSUMED_MS.authorizer + ASSUMED_MS.request + bodyMs + (isChange ? ASSUMED_MS.publisher : 0);
  // The authorizer writes no line. The publisher runs for the outbox and for the event, and writes a line for the event.
  const calls = callParts(isChange ? { functions: 4, lines: 4 } : { functions: 2, lines: 1 });
  return {
    ...calls,
    functions: calls.functions + usd({ functionGigabyteSecond: (functionMs / 1e3) * FUNCTION_GIGABYTES }),
    writes: usd({ writeUnit: writeUnits }),
    reads: usd({ readUnit: readUnits + 1 }),
    bucket: usd({ objectPut: objectPuts, objectGet: objectGets }),
    'event bus': usd({ busEvent: isChange ? 1 : 0 }),
    answer: usd({ gigabyteOut: operation.startsWith('delete') ? 0 : sized.payloadBytes / 1e9 }),
  };
}

/** Returns the cost of keeping a project for a month, in US dollars. */
function monthUsd(sized: SizedProject): number {
  const gigabytes = total(itemsOf(sized)) / 1e9;
  const objectGigabyteMonth = isObject(sized) ? sized.payloadBytes / 1e9 : 0;
  return usd({ tableGigabyteMonth: gigabytes, recoveryGigabyteMonth: gigabytes, objectGigabyteMonth });
}

/**
 * Returns the costs of an example month in US dollars. In it, projects are created with a key, read twice, kept and
 * deleted.
 */
function exampleMonth(sized: SizedProject): [requests: number, keeping: number] {
  const each = requestUsd('create with a key', sized) + 2 * requestUsd('read', sized) + requestUsd('delete', sized);
  return [DAYS * PROJECTS_A_DAY * each, DAYS * PROJECTS_A_DAY * monthUsd(sized)];
}

/** What the setting `canary` adds to the costs of an idle stack, without its requests. */
export const CANARY = { secretMonth: 1, alarmMetricMonth: 1 } as const satisfies Amounts;

/** How long the canary waits for each answer. */
const ASSUMED_ANSWER_MS = 100;

/** Returns what the canary of the hosted service costs in a month, in US dollars. Each of its checks is a request. */
function canaryUsd(mode: CanaryMode): number {
  const runs = (DAYS * 24 * 60) / CANARY_MINUTES;
  const reads = CANARY_CHECKS.indexOf('create');
  const requests = mode === 'create' ? CANARY_CHECKS.length : reads;
  const { small } = PROJECTS;
  const changes = mode === 'create' ? requestUsd('create with a key', small) + requestUsd('delete', small) : 0;
  const others = (requests - (mode === 'create' ? 2 : 0)) * requestUsd('read', small);
  const run = usd({
    secretRead: 1,
    functionRequest: 1,
    functionGigabyteSecond: ((requests * ASSUMED_ANSWER_MS) / 1e3) * FUNCTION_GIGABYTES,
  });
  return usd(CANARY) + runs * (changes + others + run);
}

/** Returns the page `docs/cost.md`. @param more further parts of the page, by their names */
export function costPage(more: Readonly<Record<string, string>>): string {
  const all = [...Object.values(PROJECTS), LARGEST];
  const stack = idleUsd('hosted', 'production');
  const firewall = usd(FIREWALL.rate);
  const life = sum(OBJECT_CREATED, OBJECT_DELETED);
  const objectUsd = usd({ writeUnit: life.writeUnits, readUnit: life.readUnits, objectPut: life.objectPuts });
  // Each KiB takes two units to write and two units to delete.
  const objectFromKibibytes = Math.ceil(objectUsd / usd({ writeUnit: 4 }));
  const { authorizer, request, publisher, megabyteOfBody } = ASSUMED_MS;
  return fill('docs/cost.md', {
    ...more,
    ...idleParts(),
    canary: `In a \`hosted\` stack, the setting [\`canary=reads\`](canary.md) adds US$ ${dollars(canaryUsd('reads'), 2)} a month, and \`canary=create\` adds US$ ${dollars(canaryUsd('create'), 2)}. Of this, ${dollars(usd(CANARY), 2)} is for a secret and a metric. The rest is for the canary's requests, if each takes ${ASSUMED_ANSWER_MS} ms.`,
    'run times': `Functions have ${number(DEFAULT_MEMORY_MB)} MB. Their run times are assumptions: ${authorizer} ms for the authorizer, ${request} ms for an operation, ${publisher} ms for an event, and ${megabyteOfBody} ms for each MB of body that is parsed or written.`,
    requests: table(
      ['project', 'operation', 'write units', 'read units', 'S3 PUT, LIST', 'S3 GET', 'US$ a thousand'],
      all.flatMap((sized) =>
        OPERATION_NAMES.map((name, index) => {
          const { writeUnits, readUnits, objectPuts, objectGets } = OPERATIONS[name](sized);
          const capacity = [writeUnits, readUnits, objectPuts, objectGets].map(number);
          return [index === 0 ? sized.title : '', name, ...capacity, dollars(requestUsd(name, sized) * 1_000, 4)];
        }),
      ),
    ),
    translation: table(
      ['engine', 'segments a second', 'engine', 'its server', 'function', 'store and queue', 'US$ a million segments'],
      ENGINES.map((each) => {
        const costs = translationCosts(each);
        return [each.name, number(each.segmentsASecond), ...[...costs, total(costs)].map((value) => dollars(value, 2))];
      }),
    ),
    payloads: `Segue stores the compressed JSON of a project in the table if it has up to ${number(MAX_IN_TABLE_BYTES)} bytes, otherwise in the bucket. The bucket would be cheaper above ${objectFromKibibytes} KiB.`,
    month: table(
      ['project', 'requests', 'keeping', 'US$ a month'],
      [
        ...all.map((sized) => [
          sized.title,
          ...[...exampleMonth(sized), total(exampleMonth(sized))].map((value) => dollars(value, 2)),
        ]),
        ['the idle stack', '', '', dollars(stack, 2)],
        ['its firewall', '', '', dollars(firewall, 2)],
        ['**all**', '', '', `**${dollars(stack + firewall + total(all.flatMap(exampleMonth)), 2)}**`],
      ],
    ),
    'month with translation': table(
      ['part', 'US$ a month'],
      [
        ...translatedMonth().map(([part, value]) => [part, dollars(value, 2)]),
        ['**all**', `**${dollars(total(translatedMonth().map(([, value]) => value)), 2)}**`],
      ],
    ),
    prices: table(
      ['of', 'US$', 'AWS’s list'],
      Object.values(PRICES).map(([value, what, page]) => [
        what,
        priceText(value),
        `[${page}](https://aws.amazon.com/${page}/)`,
      ]),
    ),
  });
}

export function project(
  title: string,
  [bodyBytes, recordBytes, payloadBytes, workBytes]: readonly [number, number, number, number],
  options = { hasCustomId: true, isAutomatic: true },
): SizedProject {
  return { title, bodyBytes, recordBytes, payloadBytes, workBytes, ...options };
}

function engine(name: string, segmentsASecond: number, options: Partial<CostedEngine> = {}): CostedEngine {
  return {
    name,
    segmentsASecond,
    characters: CHARACTERS['cldr-large'].plain,
    usdOfCharacter: 0,
    hasServer: false,
    ...options,
  };
}

function isObject({ payloadBytes }: SizedProject): boolean {
  return payloadBytes > MAX_IN_TABLE_BYTES;
}

/** The sizes of a new project's items in the table, in bytes. */
interface ItemSizes {
  readonly record: number;
  /** Absent if the payload is inside the record. */
  readonly payload: readonly number[];
  /** Absent if the project has no record of the work yet. */
  readonly work: readonly number[];
}

function sizesOf(sized: SizedProject): ItemSizes {
  const { recordBytes, payloadBytes, workBytes, isAutomatic } = sized;
  const isInside = payloadBytes <= MAX_INSIDE_BYTES;
  return {
    record: recordBytes + AROUND_RECORD + (isInside ? payloadBytes : 0),
    payload: isInside ? [] : [(isObject(sized) ? 0 : payloadBytes) + AROUND_PAYLOAD],
    work: isInside && !isAutomatic ? [] : [workBytes + AROUND_RECORD],
  };
}

/** Returns the sizes of all items of a project in the table, in bytes. */
function itemsOf(sized: SizedProject): number[] {
  const { record, payload, work } = sizesOf(sized);
  return [record, ...payload, ...work, ...(sized.hasCustomId ? [SMALL_ITEM] : [])];
}

function sum(...all: readonly Partial<Capacity>[]): Capacity {
  const of = (name: keyof Capacity) => total(all.map((capacity) => capacity[name] ?? 0));
  const [writeUnits, readUnits] = [of('writeUnits'), of('readUnits')];
  return { writeUnits, readUnits, objectPuts: of('objectPuts'), objectGets: of('objectGets') };
}

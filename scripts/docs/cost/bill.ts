import { type Capacity, isObject, itemsOf, OPERATIONS, type OperationName } from './capacity.ts';
import { PRICES, type Priced } from './prices.ts';
import type { StoredProject } from './projects.ts';

/** How much of what has a price. */
export type Amounts = Partial<Record<Priced, number>>;

/** What the stack gives a function, in GB. */
const FUNCTION_GIGABYTES = 1_769 / 1_024;

/** How long functions run, in milliseconds: assumed, since only AWS can tell. */
export const ASSUMED_MS = { authorizer: 10, request: 30, publisher: 10, megabyteOfBody: 60 } as const;

/** Operations that parse or write a whole project. */
const HEAVY: readonly OperationName[] = ['create', 'create with a key', 'delete a task'];
/** Operations that answer with the project. */
const ANSWERING: readonly OperationName[] = ['create', 'create with a key', 'read'];

/** Everything that one request takes, its authorizer included, as if no answer of that were cached. */
export function amountsOf(operation: OperationName, project: StoredProject): Amounts {
  const { writeUnits, readUnits, objectPuts, objectGets }: Capacity = OPERATIONS[operation](project);
  const body = HEAVY.includes(operation) ? (project.bodyBytes / 1e6) * ASSUMED_MS.megabyteOfBody : 0;
  const isChange = operation !== 'read';
  const functionMs = ASSUMED_MS.authorizer + ASSUMED_MS.request + body + (isChange ? ASSUMED_MS.publisher : 0);
  return {
    writeUnit: writeUnits,
    readUnit: readUnits + 1,
    objectPut: objectPuts,
    objectGet: objectGets,
    gatewayRequest: 1,
    functionRequest: isChange ? 3 : 2,
    functionGigabyteSecond: (functionMs / 1e3) * FUNCTION_GIGABYTES,
    busEvent: isChange ? 1 : 0,
    gigabyteOut: ANSWERING.includes(operation) ? project.payloadBytes / 1e9 : 0,
  };
}

/** What a project takes while it is there, for a month. */
export function keptForAMonth(project: StoredProject): Amounts {
  const { record, payload, customId } = itemsOf(project);
  const inTable = [record, payload, ...customId].reduce((sum, bytes) => sum + bytes, 0) / 1e9;
  return {
    tableGigabyteMonth: inTable,
    recoveryGigabyteMonth: inTable,
    objectGigabyteMonth: isObject(project) ? project.payloadBytes / 1e9 : 0,
  };
}

export function times(count: number, amounts: Amounts): Amounts {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount * count]));
}

/** The price of what is taken, in US dollars. */
export function usd(...all: readonly Amounts[]): number {
  return all
    .flatMap((amounts) => NAMES.map((name) => (amounts[name] ?? 0) * PRICES[name].usd))
    .reduce((a, b) => a + b, 0);
}

/** What has a price, in the order of the price list. */
export const NAMES: readonly Priced[] = Object.keys(PRICES).filter((name): name is Priced => name in PRICES);

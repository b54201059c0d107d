/** A stack cannot be administered. The message is for the person who asked. */
export class StackUnusable extends Error {
  override readonly name = 'StackUnusable';
}

/** The outputs of one Segue, by their names in a stack that is all its own. */
export type Outputs = ReadonlyMap<string, string>;

/** By these two a Segue is known among other things of a stack. */
const TABLE = 'TableName';
const PLAN = 'UsagePlanId';

/**
 * Picks one Segue's outputs from those of a stack, where each begins with the id of its construct: none with that of
 * `SegueStack`, which has nothing else in it.
 * @param gateway the construct's id; needed only where the stack has several
 * @throws {StackUnusable} where there is none, or no telling which
 */
export function outputsOf(all: Outputs, gateway: string | undefined): Outputs {
  const ids = [...all.keys()].filter((name) => name.endsWith(TABLE)).map((name) => name.slice(0, -TABLE.length));
  const known = ids.filter((id) => all.has(id + PLAN));
  const named = known.map((id) => id || 'none').join(', ');
  const [id] = gateway === undefined ? known : known.filter((each) => each === gateway);
  if (id === undefined && (gateway === undefined || known.length === 0)) {
    throw new StackUnusable(`the stack has no output ${TABLE}: it is none of Segue's, or an old one`);
  }
  if (id === undefined) throw new StackUnusable(`the stack has no Segue of this id; it has ${named}`);
  if (gateway === undefined && known.length > 1) {
    throw new StackUnusable(`the stack has several: say which with --gateway, of ${named}`);
  }
  const own = [...all].filter(([name]) => name.startsWith(id));
  return new Map(own.map(([name, value]) => [name.slice(id.length), value]));
}

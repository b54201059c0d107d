import type { SchemeSettings } from './schemes/settings.ts';
import type { SourceScope } from './scopes.ts';

/** A sender of webhooks, and what its messages mean. */
export interface Source {
  /** Unique in a gateway, since it stands in the path: `[a-z0-9][a-z0-9-]{0,62}`. */
  readonly name: string;
  /** Whose projects its messages are about. */
  readonly companyId: string;
  /** A JSONata expression from `{ headers, body }` to a command, or to nothing where a message asks for none. */
  readonly mapping: string;
  /** What its messages may ask for; `create` and `delete` unless given. */
  readonly scopes?: readonly SourceScope[] | undefined;
}

/** A source with how its messages are signed. */
export interface SignedSource extends Source {
  readonly scheme: SchemeSettings;
  /** Where its secrets are kept. With other secrets it is another place. */
  readonly secretsAt: string;
}

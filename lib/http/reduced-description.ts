import type { HttpFunctionName, Route } from '../contract/routes.ts';
import type { Switch } from '../contract/switches.ts';

/** The parts of an API description that name what a deployment may lack. */
export interface Description {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: object;
  readonly webhooks?: object;
}

/** What the public API lacks without a part of Segue. */
interface Lacking {
  /** The function that serves the operations of the part. */
  readonly function: HttpFunctionName;
  /** The tag of these operations. */
  readonly tag: string;
  /** Whether the requests that Segue itself sends belong to the part. */
  readonly sends: boolean;
  /** The sentence that says so. */
  readonly text: string;
}

/** The parts that the public API shows. Manifests are no part of it. */
const LACKING: Readonly<Partial<Record<Switch, Lacking>>> = {
  webhooks: {
    function: 'receiveWebhook',
    tag: 'Webhook sources',
    sends: false,
    text: 'This deployment has no webhook sources: it receives no messages at `/webhooks/{source}`.',
  },
  events: {
    function: 'events',
    tag: 'Events',
    sends: true,
    text: 'This deployment has no events: there is no `/events`, and Segue sends nothing to the `eventUrl` of a project.',
  },
};

/**
 * Returns an API description without the parts that a deployment does not have. Its text says what is missing.
 * @param routes the routes of all operations
 * @param off the parts that are switched off
 */
export function withoutParts<D extends Description>(
  description: D,
  routes: readonly Route[],
  off: readonly Switch[],
): Description {
  const lacking = off.flatMap((name) => LACKING[name] ?? []);
  if (lacking.length === 0) return description;
  const { info, tags, paths, webhooks, ...others } = description;
  const absent = new Set(
    routes.filter((route) => lacking.some((part) => part.function === route.function)).map(({ path }): string => path),
  );
  return {
    ...others,
    info: { ...info, description: [info.description, ...lacking.map(({ text }) => text)].join('\n\n') },
    tags: tags.filter(({ name }) => !lacking.some(({ tag }) => tag === name)),
    paths: Object.fromEntries(Object.entries(paths).filter(([path]) => !absent.has(path))),
    ...(webhooks && !lacking.some(({ sends }) => sends) && { webhooks }),
  };
}

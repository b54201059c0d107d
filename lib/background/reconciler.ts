import { type BackgroundFunction, type BackgroundOptions, backgroundFunction } from './background-function.ts';

/**
 * Finishes the operations that requests left open. It may be stopped at any point, and two runs may overlap.
 * @param isTimeLeft called before each operation
 */
export type Reconcile = (isTimeLeft: () => boolean) => Promise<Reconciled>;

/** The result of a run, and why the first operation that it left failed. */
interface Reconciled {
  readonly settled: number;
  readonly givenUp: number;
  readonly left: number;
  readonly oldestMs: number;
  readonly failure?: unknown;
}

/** The longest that one operation takes, in milliseconds. */
const MARGIN_MS = 20_000;

/** Makes the reconciler. The next run finds the operations that it leaves. */
export function reconciler(reconcile: Reconcile, options: BackgroundOptions): BackgroundFunction {
  return backgroundFunction(
    'reconciler',
    async (_event, context) => {
      const { failure, ...counts } = await reconcile(() => context.getRemainingTimeInMillis() > MARGIN_MS);
      return { result: undefined, counts, failure };
    },
    options,
  );
}

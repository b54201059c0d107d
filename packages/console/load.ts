import { type Inputs, useEffect, useRef, useState } from 'preact/hooks';

/** The state of a value that a page loads. */
export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: T }
  | { readonly state: 'failed'; readonly error: unknown };

/** Loads a value when a page opens, and again when one of the inputs changes. An outdated result is dropped. */
export function useLoaded<T>(load: () => Promise<T>, inputs: Inputs): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' });
  useEffect(() => {
    let isCurrent = true;
    const set = (next: Loaded<T>) => {
      if (isCurrent) setLoaded(next);
    };
    set({ state: 'loading' });
    load().then(
      (value) => set({ state: 'ready', value }),
      (error: unknown) => set({ state: 'failed', error }),
    );
    return () => {
      isCurrent = false;
    };
  }, inputs);
  return loaded;
}

/** Returns the loaded value. While it is loaded again, it is the last one. */
export function useLast<T>(loaded: Loaded<T>): T | undefined {
  const last = useRef<T | undefined>(undefined);
  if (loaded.state === 'ready') last.current = loaded.value;
  return last.current;
}

/** Does what a user asks for. Meanwhile it is busy, and afterwards it may have an error. */
export function useTask() {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    await work().catch(setError);
    setBusy(false);
  };
  return { isBusy, error, run };
}

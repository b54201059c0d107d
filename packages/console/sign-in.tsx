import { useState } from 'preact/hooks';
import { Failure, Heading } from './page.tsx';
import { type Session, signIn } from './session.ts';

/** Asks for a company id and its key. Both stay in memory. */
export function SignInPage({ onSignedIn }: { readonly onSignedIn: (session: Session) => void }) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const { currentTarget: form } = event;
    if (!(form instanceof HTMLFormElement)) return;
    const fields = new FormData(form);
    setBusy(true);
    setError(undefined);
    try {
      onSignedIn(await signIn(String(fields.get('company')).trim(), String(fields.get('key')).trim()));
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <form class="sign-in" onSubmit={submit}>
      <Heading title="Sign in" />
      <p>The key stays in the memory of this page. Reloading the page signs you out.</p>
      <label>
        Company id
        <input name="company" required autocomplete="off" autocapitalize="off" spellcheck={false} />
      </label>
      <label>
        API key
        <input name="key" type="password" required autocomplete="off" />
      </label>
      {error !== undefined && <Failure error={error} />}
      <button class="main" type="submit" disabled={isBusy}>
        {isBusy ? 'Signing in…' : 'Sign in'}
      </button>
    </form>
  );
}

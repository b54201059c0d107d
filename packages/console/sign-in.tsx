import { useState } from 'preact/hooks';
import { Field } from './design/fields.tsx';
import { Notice } from './design/status.tsx';
import { Failure, Heading } from './page.tsx';
import { type Session, signIn } from './session.ts';

interface SignInProps {
  /** Whether Segue refused the key of the last session. */
  readonly isEnded: boolean;
  readonly onSignedIn: (session: Session) => void;
}

/** Asks for a company id and its key. */
export function SignInPage({ isEnded, onSignedIn }: SignInProps) {
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
    <form class="form alone" onSubmit={submit}>
      <Heading title="Sign in" />
      {isEnded && (
        <Notice kind="warning" title="Segue no longer accepts this key." isLive>
          Sign in with a valid one. What you have not saved is still here.
        </Notice>
      )}
      <p>The operator of Segue gives you a company id and an API key.</p>
      <Field label="Company id">
        {(input) => (
          <input {...input} name="company" required autocomplete="off" autocapitalize="off" spellcheck={false} />
        )}
      </Field>
      <Field label="API key" hint="This tab keeps the key until you sign out or close it.">
        {(input) => <input {...input} name="key" type="password" required autocomplete="off" />}
      </Field>
      {error !== undefined && <Failure error={error} />}
      <button class="main" type="submit" disabled={isBusy} aria-busy={isBusy}>
        {isBusy ? 'Signing in…' : 'Sign in'}
      </button>
      <p class="quiet">
        Do you run Segue on your own machine? Then <code class="whole">npm start</code> prints both.
      </p>
    </form>
  );
}

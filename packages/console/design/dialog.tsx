import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  /** Called when the dialog has closed. Then the page leaves it out. */
  readonly onClose: () => void;
  /** The buttons below the content. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A modal dialog. The browser keeps the focus inside, closes it at Escape, and returns the focus. */
export function Dialog({ title, onClose, actions, children }: DialogProps) {
  const id = useId();
  return (
    <dialog ref={showModal} onClose={onClose} aria-labelledby={id}>
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="subtle" onClick={closeDialog}>
          Close
        </button>
      </div>
      <div class="dialog-body">{children}</div>
      {actions !== undefined && <div class="dialog-actions">{actions}</div>}
    </dialog>
  );
}

/** Closes the dialog of a button. */
export function closeDialog({ currentTarget }: { readonly currentTarget: HTMLButtonElement }): void {
  currentTarget.closest('dialog')?.close();
}

function showModal(dialog: HTMLDialogElement | null): void {
  if (dialog && !dialog.open) dialog.showModal();
}

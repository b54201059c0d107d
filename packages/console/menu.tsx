import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Whether a part of the header is open. It closes when another page opens, outside of it, and at Escape, which returns the focus. */
function useDisclosure(page: string) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  // Before the browser paints: otherwise, a link of the menu could be used on the page that it has opened.
  useLayoutEffect(() => setOpen(false), [page]);
  // At once: the reader may press Escape before a later effect runs.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const close = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return;
      setOpen(false);
      button.current?.focus();
    };
    const leave = ({ target }: Event) => {
      if (target instanceof Node && !button.current?.parentElement?.contains(target)) setOpen(false);
    };
    addEventListener('keydown', close);
    addEventListener('pointerdown', leave);
    return () => {
      removeEventListener('keydown', close);
      removeEventListener('pointerdown', leave);
    };
  }, [isOpen]);
  return { isOpen, setOpen, button };
}

interface DisclosureProps {
  readonly of: ReturnType<typeof useDisclosure>;
  /** The id of the part that it opens. */
  readonly controls: string;
  readonly class: string;
  readonly children: ComponentChildren;
}

/** The button that opens and closes a part of the header. */
function Disclosure({ of: { isOpen, setOpen, button }, controls, class: name, children }: DisclosureProps) {
  return (
    <button
      ref={button}
      type="button"
      class={name}
      aria-expanded={isOpen}
      aria-controls={controls}
      onClick={() => setOpen(!isOpen)}
    >
      {children}
    </button>
  );
}

interface MenuProps {
  /** The open page. */
  readonly page: string;
  readonly children: ComponentChildren;
}

/** The links of the header. On a narrow screen they are in a menu. */
export function Menu({ page, children }: MenuProps) {
  return (
    <>
      <Disclosure of={useDisclosure(page)} controls="menu" class="menu-button">
        Menu
      </Disclosure>
      <div id="menu" class="menu">
        {children}
      </div>
    </>
  );
}

/** The company, and what a user can set. On a narrow screen it is a part of the menu. */
export function Account({ page, companyId, children }: MenuProps & { readonly companyId: string }) {
  return (
    <div class="account">
      <Disclosure of={useDisclosure(page)} controls="account" class="account-button">
        <span class="hidden">Account of </span>
        <span class="company">{companyId}</span>
      </Disclosure>
      <div id="account" class="account-panel">
        <p class="quiet">
          Company <bdi>{companyId}</bdi>
        </p>
        {children}
      </div>
    </div>
  );
}

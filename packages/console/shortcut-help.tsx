import { useEffect, useState } from 'preact/hooks';
import { Dialog } from './design/dialog.tsx';
import {
  areSingleKeysOn,
  EDITOR_KEYS,
  isTyping,
  type Shortcut,
  SINGLE_KEYS,
  type SingleKey,
  setSingleKeys,
  singleKeyOf,
} from './shortcuts.ts';

/** What the keys of every page do. `next`, `previous` and `toDo` are those of a list of segments. */
const ACTIONS: Readonly<Partial<Record<SingleKey, () => void>>> = {
  projects() {
    location.hash = '#/projects';
  },
  create() {
    location.hash = '#/create';
  },
  search() {
    document.querySelector<HTMLInputElement>('main input[type=search], main [data-search]')?.focus();
  },
};

interface HelpProps {
  readonly isOpen: boolean;
  readonly onChange: (isOpen: boolean) => void;
}

/** The keyboard shortcuts of every page, and the help that shows all of them. */
export function ShortcutHelp({ isOpen, onChange }: HelpProps) {
  const [isOn, setOn] = useState(areSingleKeysOn);
  useEffect(() => {
    if (!isOn) return undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      const name = isTyping(event.target) ? undefined : singleKeyOf(event);
      const action = name === 'help' ? () => onChange(true) : name && ACTIONS[name];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [isOn, onChange]);
  const change = (isChecked: boolean) => {
    setSingleKeys(isChecked);
    setOn(isChecked);
  };
  if (!isOpen) return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => onChange(false)}>
      <label class="check">
        <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => change(currentTarget.checked)} />
        Single keys do something outside of fields
      </label>
      <Keys label="Everywhere" keys={Object.values(SINGLE_KEYS)} />
      <h3>In a translation</h3>
      <Keys label="In a translation" keys={Object.values(EDITOR_KEYS)} />
    </Dialog>
  );
}

function Keys({ label, keys }: { readonly label: string; readonly keys: readonly Shortcut[] }) {
  return (
    <dl class="facts" aria-label={label}>
      {keys.map(({ key, does }) => (
        <>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </>
      ))}
    </dl>
  );
}

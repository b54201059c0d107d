/** A key that does something in the console. */
export interface Shortcut {
  /** The key as `KeyboardEvent.key` has it. */
  readonly key: string;
  /** What it does, for the help. */
  readonly does: string;
}

/** The keys that work anywhere outside of a field. One key alone does something, so a user can switch them off. */
export const SINGLE_KEYS = {
  projects: { key: 'p', does: 'Go to the projects' },
  create: { key: 'c', does: 'Create a project' },
  search: { key: '/', does: 'Go to the search field of the page' },
  next: { key: 'j', does: 'Go to the next segment' },
  previous: { key: 'k', does: 'Go to the previous segment' },
  toDo: { key: 'n', does: 'Open the next segment that nobody has translated or checked' },
  help: { key: '?', does: 'Show these shortcuts' },
} as const satisfies Readonly<Record<string, Shortcut>>;
export type SingleKey = keyof typeof SINGLE_KEYS;

/** The keys of the field of a translation. They work always, because no text needs them. */
export const EDITOR_KEYS = {
  save: { key: 'Ctrl+S', does: 'Save the translation' },
  saveAndNext: { key: 'Ctrl+Enter', does: 'Save the translation, and go to the next segment' },
  next: { key: 'Alt+↓', does: 'Go to the next segment' },
  previous: { key: 'Alt+↑', does: 'Go to the previous segment' },
} as const satisfies Readonly<Record<string, Shortcut>>;
export type EditorKey = keyof typeof EDITOR_KEYS;

/** The parts of a key press that decide what it does. */
type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>;

/** Returns what a single key does. */
export function singleKeyOf({ key, ctrlKey, metaKey, altKey }: Press): SingleKey | undefined {
  if (ctrlKey || metaKey || altKey) return undefined;
  return names(SINGLE_KEYS).find((name) => SINGLE_KEYS[name].key === key);
}

/** Returns what a key does in the field of a translation. On a Mac, Command takes the place of Ctrl. */
export function editorKeyOf({ key, ctrlKey, metaKey, altKey }: Press): EditorKey | undefined {
  const pressed = [(ctrlKey || metaKey) && 'Ctrl', altKey && 'Alt', SHOWN[key] ?? key].filter(Boolean).join('+');
  return names(EDITOR_KEYS).find((name) => EDITOR_KEYS[name].key === pressed);
}

const SHOWN: Readonly<Record<string, string>> = { ArrowDown: '↓', ArrowUp: '↑', s: 'S' };

function names<T extends object>(keys: T): (keyof T & string)[] {
  return Object.keys(keys).filter((name): name is keyof T & string => name in keys);
}

const TYPING = 'input, textarea, select, [contenteditable], dialog';

/** Whether a key press goes to a field or a dialog, so that it is no shortcut. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(TYPING) !== null;
}

const NAME = 'segue-single-keys';

/** Whether the user lets single keys do something. By default they do. */
export function areSingleKeysOn(): boolean {
  try {
    return localStorage.getItem(NAME) !== 'off';
  } catch {
    return true;
  }
}

/** Switches single keys on or off, for this browser. */
export function setSingleKeys(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, 'off');
  } catch {
    // The user does not allow the site to store anything.
  }
}
